# Every row of a table stands in another one, by function, number and parameters.
# SPDX-License-Identifier: Apache-2.0
import re
import sys


def rows(path):
    found = {}
    for line in open(path):
        if row := re.match(r"(?:DRIVER_CALL\(\w+, (\w+), (\d+)|SIM_WATCHED\((\w+), (\d+), \d+), (.*)\)$", line):
            found[row[1] or row[3]] = (row[2] or row[4], row[5])
    return found


ours, theirs = rows(sys.argv[1]), rows(sys.argv[2])
wrong = {name: row for name, row in ours.items() if theirs.get(name, row) != row}
missing = len(ours.keys() - theirs.keys())
print(f"{len(ours)} rows, wrong: {wrong}, not in these headers: {missing}")
sys.exit(bool(wrong) or len(ours) < 150 or missing > len(ours) // 4)
