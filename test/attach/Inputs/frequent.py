# Compares the launches of frequent.cpp with what it makes.
# SPDX-License-Identifier: Apache-2.0
"""launches.py PROFILE SOURCE NUMBER exact|estimated"""
import json
import sys

profile, source, number, way = json.load(open(sys.argv[1])), open(sys.argv[2]).read().splitlines(), int(sys.argv[3]), sys.argv[4]
line = {mark: next(i + 1 for i, text in enumerate(source) if text.endswith("// " + mark)) for mark in ("OFTEN", "SELDOM")}
calls = {mark: sum(s["calls"] for s in profile["sites"] if s["line"] == line[mark]) for mark in line}
estimated = any(s["calls_estimated"] for s in profile["sites"] if s["line"] in line.values())
print(calls, estimated)
assert estimated == (way == "estimated")
all_of_them = sum(calls.values())
if way == "exact":
    assert all_of_them == number and calls["SELDOM"] == number * 500 // 2001
else:
    # A look takes many times as long as the simulated device's launches, so a window sees few.
    assert 0.05 * number < all_of_them < 3 * number
    assert 0.2 < calls["SELDOM"] / all_of_them < 0.3
