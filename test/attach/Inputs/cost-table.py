# The least of each kind, plain and attached, and their difference.
# SPDX-License-Identifier: Apache-2.0
import sys


def least(path):
    found = {}
    for line in open(path):
        name, value = line.rstrip("\n").split("\t")
        found[name] = min(found.get(name, 1 << 60), int(value))
    return found


plain, attached = least(sys.argv[2]), least(sys.argv[3])
assert plain and plain.keys() == attached.keys()
print(f"{sys.argv[1] + ', ns a call':<40}{'plain':>8}{'attached':>10}{'added':>8}")
for name, value in plain.items():
    print(f"{name:<40}{value:>8}{attached[name]:>10}{attached[name] - value:>8}")
