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
    line = re.sub(r"\S*\.\.\.\S*", "NAME", line)  # shortened to what room there was
    return re.sub(r"[ =]+", " ", line).strip()


def main(readme, report):
    text = open(readme, encoding="utf-8").read()
    block = re.search(r"\n\n((?:    .*\n)+)", text).group(1)
    printed = [shape(line) for line in open(report, encoding="utf-8")]
    at = 0
    lines = [shape(line) for line in block.splitlines()]
    for line in lines:
        if line not in printed[at:]:
            sys.exit(f"the README shows a line that was not printed, or not in this order:\n{line}\nprinted:\n" + "\n".join(printed))
        at = printed.index(line, at) + 1
    print("ok", len(lines), "lines")


main(*sys.argv[1:])
