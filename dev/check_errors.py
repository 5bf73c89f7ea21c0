# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where an error's text is not put together by the one place of its language that knows the form "Where: expected
X, found Y. Do Z."

That is SparkGapException.sentence in the JVM, Error in the kernels, SparkGapError.of in Python. Each takes the four
parts, so only the parts are looked at here: what is to be done is a sentence without its full stop, and what was
expected and found does not begin as one.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LITERAL = re.compile(r'^[sf]?"((?:[^"\\]|\\.)*)"$', re.DOTALL)
# A text that came from elsewhere in the form, or is joined of two in it.
WHOLE = re.compile(
    r"\bsentence\(|\.text\b|\.text\(|^text$|^sentence$|trim$|^message$|errorMessage\(\)|report\.failure\(\)"
    r"|^s\"\$words "
)


def string_end(text, at):
    """Where the string ends that begins at `at`; what a Scala one holds in ${} is skipped."""
    i = at + 1
    while text[i] != '"':
        if text[i] == "\\":
            i += 1
        elif text.startswith("${", i) and text[at - 1] in "sf":
            depth, i = 1, i + 2
            while depth:
                if text[i] == '"':
                    i = string_end(text, i)
                depth += {"{": 1, "}": -1}.get(text[i], 0)
                i += 1
            continue
        i += 1
    return i


def arguments(text, at):
    """The arguments of the call whose parenthesis opens at `at`, for languages with C's strings."""
    depth, begin, found, i = 0, at + 1, [], at
    while i < len(text):
        c = text[i]
        if text.startswith('"""', i):
            i = text.index('"""', i + 3) + 2
        elif c == '"':
            i = string_end(text, i)
        elif c == "'" and re.match(r"'(\\.|[^\\'])'", text[i:]):
            i += len(re.match(r"'(\\.|[^\\'])'", text[i:]).group()) - 1
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if (c == "," and depth == 1) or depth == 0:
            found.append(text[begin:i].strip())
            begin = i + 1
            if depth == 0:
                return found
        i += 1
    return found


def parts(expected, found, action):
    """What is wrong with the parts that are literals."""
    for what, part in (("expected", expected), ("found", found)):
        said = LITERAL.match(part)
        if said and (
            not said.group(1)
            or said.group(1).endswith(".")
            or re.match(r"(Expected|Found|expected|found)\b", said.group(1))
        ):
            yield f"{what} is {part}"
    said = LITERAL.match(action)
    if said and (not re.match(r"[A-Z]", said.group(1)) or said.group(1).endswith(".")):
        yield f"the action is {action}, not a sentence without its full stop"


def compiled_faults(file, text):
    """Of Java, Scala and C++."""
    native = file.suffix in {".cc", ".h"}
    for made in re.finditer(
        (
            r"\b(?:throw Error|new (?:SparkGap|Job|Stopped|LostHost)Exception|(?:SparkGapException\.)?\bsentence)\("
            if not native
            else r"\bthrow Error\("
        ),
        text,
    ):
        given = arguments(text, made.end() - 1)
        line, name = text.count("\n", 0, made.start()) + 1, made.group()
        if name.endswith("sentence("):
            if not given[0].startswith("String "):
                yield from ((line, fault) for fault in parts(*given[1:4]))
        elif native or (len(given) == 5 and "SparkGapException(" in name):
            yield from ((line, fault) for fault in parts(*given[2:5]))
        else:
            text_of = given[1] if len(given) > 1 and "Stopped" not in name and "Lost" not in name else given[0]
            if not WHOLE.search(text_of):
                yield line, f"{name}...) with the text {text_of}, which is not made of the four parts"
    # A reader of JSON files turns what nlohmann's parser throws into an error of its own.
    for thrown in (
        re.finditer(
            r"\bthrow (?!Error\b|Json::other_error::create\b|std::(?:logic_error|bad_alloc)\b)(\w[\w:]*)\(", text
        )
        if native
        else ()
    ):
        yield text.count("\n", 0, thrown.start()) + 1, f"throws {thrown.group(1)}, which nobody translates"


def python_faults(file, text):
    classes = {"SparkGapError", "ArgumentError", "DataError", "ResourceError", "LaunchError", "InternalError"}
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in classes and file.name != "errors.py":
            given = ast.unparse(node.args[0]) if node.args else ""
            if given != "self.table.damage":
                yield node.lineno, f"{node.func.id}(...) without .of, which knows the form"
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "of"
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in classes | {"cls"}
        ):
            if len(node.args) != 4:
                yield node.lineno, f"{len(node.args)} parts, not where, expected, found and what to do"
                continue
            expected, found, do = (f'"{a.value}"' if isinstance(a, ast.Constant) else "" for a in node.args[1:])
            if do and not do.endswith('."'):
                yield node.lineno, f"{do} without its full stop"
            yield from ((node.lineno, fault) for fault in parts(expected, found, do.replace('."', '"')))


def main():
    faults = []
    for folder, suffixes in (
        ("store", {".java"}),
        ("launch", {".java"}),
        ("spark", {".java", ".scala"}),
        ("kernels", {".cc", ".h"}),
        ("python/sparkgap", {".py"}),
    ):
        root = ROOT / folder / "src/main"
        for file in sorted((root if root.is_dir() else ROOT / folder).rglob("*")):
            of_users = not {"native", "fuzz", "test"} & set(file.relative_to(ROOT).parts) and not file.stem.endswith(
                ("_test", "_oracle")
            )
            if file.suffix in suffixes and of_users:
                text = file.read_text()
                faults += [
                    f"{file.relative_to(ROOT)}:{line}: {fault}"
                    for line, fault in (python_faults if file.suffix == ".py" else compiled_faults)(file, text)
                ]
    print("\n".join(faults), end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
