# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `mis` is to give, slowly and in plain words; it shares no code with the kernel."""

from neighbours import others

MASK = 2**64 - 1


def mixed(state, name):
    """SplitMix64's mixing, once for the name and twice for nothing."""
    for more in (name, 0, 0):
        state = (state + 0x9E3779B97F4A7C15 + more) & MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & MASK
        state ^= state >> 31
    return state


def priority(i, seed):
    """An integer is one name; a string is its words of eight bytes and its length."""
    if not isinstance(i, str):
        return mixed(seed & MASK, i & MASK)
    text, state = i.encode(), seed & MASK
    for at in range(0, len(text), 8):
        state = mixed(state, int.from_bytes(text[at : at + 8], "little"))
    return mixed(state, len(text))


def answer(edges, *, vertices=(), seed=0):
    """{id: whether it is in the set}, the highest priority first: in it where no neighbour is."""
    near, selected = others(edges, vertices), set()
    for i in sorted(near, key=lambda i: -priority(i, seed)):
        if not near[i] & selected:
            selected.add(i)
    return {i: i in selected for i in near}
