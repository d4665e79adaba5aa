# Calls with a line of Python, by function.
# SPDX-License-Identifier: Apache-2.0
"""shares.py NAME PROFILE: calls with a line of Python, by function."""
import collections, json, sys

p = json.load(open(sys.argv[2]))
n = collections.Counter()
what = {"line": collections.Counter(), "thread without": collections.Counter(), "other": collections.Counter()}
for s in p["sites"]:
    if s["calls"]:
        k = "line" if s["file"].endswith(".py") and s["line"] else "thread without" if "without a Python frame" in s["function"] else "other"
        n[k] += s["calls"]
        what[k][(s["callee"].split(" ")[0] if k != "other" else f'{s["callee"]} in {s["function"]} {s["file"]}')] += s["calls"]
total = sum(n.values())
print(f"  {sys.argv[1]}: {total} calls, " + ", ".join(f"{k} {v / total:.3f}" for k, v in n.most_common()))
for k, c in what.items():
    print(f"    {k}: " + ", ".join(f"{a} {b}" for a, b in c.most_common(6)))
