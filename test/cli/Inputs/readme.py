# Whether the report that a README shows is what a program printed, figures apart.
# SPDX-License-Identifier: Apache-2.0
#
# usage: readme.py README.md REPORT
import re
import sys


def shape(line):
    """A line without what differs from run to run."""
    line = re.sub(r"\(pid \d+\)", "(pid N)", line)
    line = re.sub(r" \((\d+ on|\d+ by)[^)]*\)", "", line)  # which witness looked
    line = re.sub(r"~?\d+(\.\d+)?", "N", line)
    line = re.sub(r"N ([kMGT]?B|[num]?s)\b", "N", line)
    line = re.sub(r"( \| GPU busy| \| own cost|^ *own cost).*", "", line)  # on one line or two, by their width
    line = re.sub(r"[<>~]=? ?N|\+-N %", " ", line)  # bounds, likewise
    line = re.sub(r"\S*\.\.\.\S*", "NAME", line)  # shortened to what room there was
    return re.sub(r"[ =]+", " ", line).split()


def without_waits(text):
    """A report without what is said only where the waits before a line's copies took most of its time."""
    said = r"; the copies took ~?[\d.]+ [num]?s of that, waiting and the host's own work the rest"
    return re.sub(said.replace(" ", r"\s+"), "", text)


def same(one, other):
    """Whether two lines are one, whatever names the room of the day shortened."""
    return len(one) == len(other) and all(a == b or "NAME" in (a, b) for a, b in zip(one, other))


def main(readme, report):
    text = open(readme, encoding="utf-8").read()
    block = re.search(r"\n\n((?:    .*\n)+)", text).group(1)
    printed = [shape(line) for line in without_waits(open(report, encoding="utf-8").read()).splitlines()]
    at = 0
    lines = [line for line in map(shape, without_waits(block).splitlines()) if line]
    for line in lines:
        found = next((i for i in range(at, len(printed)) if same(line, printed[i])), None)
        if found is None:
            sys.exit("the README shows a line that was not printed, or not in this order:\n"
                     + " ".join(line) + "\nprinted:\n" + "\n".join(map(" ".join, printed)))
        at = found + 1
    print("ok", len(lines), "lines")


main(*sys.argv[1:])
