# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Hadoop's own programs, with the words that they are started with, for bench/hadoop_examples.py."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """{in} is text, {pairs} are two sets of pairs, {out} where it writes, {NAME} where that one has written.

    Parameters
    ----------
    ties : bool
        Whether records with equal keys may come in any order: then lines are compared sorted.
    random : bool
        Whether its output is another one each time: then only its records are counted.
    drawn : bool
        Whether what it reads is another one each time: then it must end well, and its counters are its own.
    fails : str
        What it must fail with.
    tests : bool
        Whether it is of Hadoop's tests: the first word is its class.
    slow : bool
        Whether it runs only when it is named: it waits ten seconds for each of its 28 jobs.
    """

    name: str
    words: str
    ties: bool = False
    random: bool = False
    drawn: bool = False
    fails: str = ""
    tests: bool = False
    slow: bool = False


TEXTS = "-outKey org.apache.hadoop.io.Text -outValue org.apache.hadoop.io.Text"
PAIRS = "-inFormat org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat"
TO_TEXT = "-outFormat org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"
TUPLES = "-outKey org.apache.hadoop.io.Text -outValue org.apache.hadoop.mapreduce.lib.join.TupleWritable"
PENTOMINO = "org.apache.hadoop.examples.dancing.Pentomino"
SIZES = "-Dmapreduce.{0}.bytespermap=300000 -Dmapreduce.{0}.totalbytes=600000"
PROGRAMS = [
    Program("aggregatewordcount", "{sequence} {out} 2 sequencefile"),
    Program("aggregatewordhist", "{sequence} {out} 2 sequencefile"),
    Program("bbp", "1 20 3 {out}"),
    Program("distbbp", "400 4 1 m 1 {out} sums", slow=True),
    Program("grep", "{in} {out} wor[a-z0-9]*", ties=True),
    Program("join", f"-r 2 {PAIRS} {TO_TEXT} {TUPLES} {{sorted}} {{sorted}} {{out}}"),
    Program("multifilewc", "{in} {out}"),
    Program("pentomino", f"-Dmapreduce.pentomino.class={PENTOMINO} {{out}} -depth 1 -height 3 -width 20", ties=True),
    Program("pi", "3 1000"),
    Program("randomtextwriter", f"{SIZES.format('randomtextwriter')} {{out}}", random=True),
    Program("randomwriter", f"{SIZES.format('randomwriter')} {{out}}", random=True),
    Program("secondarysort", "{numbers} {out}"),
    Program("sort", f"-r 3 {PAIRS} {TO_TEXT} {TEXTS} {{pairs}} {{out}}", ties=True),
    Program("teragen", "-Dmapreduce.job.maps=2 20000 {out}"),
    Program("terasort", "-Dmapreduce.job.reduces=3 {teragen} {out}"),
    Program("teravalidate", "{terasort} {out}"),
    Program("wordcount", "-Dmapreduce.job.reduces=3 {in} {out}"),
    Program("wordmean", "{in} {out}"),
    Program("wordmedian", "{in} {out}"),
    Program("wordstandarddeviation", "{in} {out}"),
    Program("sort of randomwriter", "-r 2 {randomwriter} {out}", random=True),
    Program("SleepJob", "org.apache.hadoop.mapreduce.SleepJob -m 3 -r 2 -mt 50 -rt 50", tests=True),
    Program("FailJob of map", "org.apache.hadoop.mapreduce.FailJob -failMappers", fails="map failure", tests=True),
    Program(
        "FailJob of reduce", "org.apache.hadoop.mapreduce.FailJob -failReducers", fails="reduce failure", tests=True
    ),
    Program("TestDFSIO -write", "org.apache.hadoop.fs.TestDFSIO -write -nrFiles 3 -size 1MB", tests=True),
    Program("TestDFSIO -read", "org.apache.hadoop.fs.TestDFSIO -read -nrFiles 3 -size 1MB", tests=True),
    Program(
        "SortValidator",
        "org.apache.hadoop.mapred.SortValidator -sortInput {randomwriter} -sortOutput {sort of randomwriter}",
        drawn=True,
        tests=True,
    ),
    Program("MRBench", "org.apache.hadoop.mapred.MRBench -numRuns 2 -inputLines 20 -inputType descending", tests=True),
]
