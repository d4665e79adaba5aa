# Runs two commands by turns and fails when the second takes more than LIMIT times the first's
# processor time.
# SPDX-License-Identifier: Apache-2.0
#
# usage: times.py LIMIT FIRST... -- SECOND...
# The least of three runs each: other work on the machine only ever adds.
import resource
import subprocess
import sys


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


limit, rest = float(sys.argv[1]), sys.argv[2:]
cut = rest.index("--")
first, second = rest[:cut], rest[cut + 1:]
turns = [(seconds(first), seconds(second)) for _ in range(3)]
plain, with_plugin = (min(column) for column in zip(*turns))
ratio = with_plugin / plain
print(f"{plain:.2f} s, {with_plugin:.2f} s: x{ratio:.1f}")
if ratio > limit:
    sys.exit(f"more than x{limit:g}")
