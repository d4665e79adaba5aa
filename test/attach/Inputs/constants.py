# Where a profile of constants.cu has its calls.
# SPDX-License-Identifier: Apache-2.0
"""constants.py PROFILE SOURCE"""
import json
import sys

marks = {}
for number, text in enumerate(open(sys.argv[2]).read().splitlines(), 1):
    if " // " in text:
        marks[number] = text.rsplit(" // ")[-1]
sites = [site for site in json.load(open(sys.argv[1]))["sites"] if site["calls"]]
assert not [s for s in sites if s["file"].endswith(("cuda_runtime.h", "stub.c"))], sites
told = {}
for site in sites:
    if site["line"] in marks and site["file"].endswith("constants.cu"):
        told.setdefault(marks[site["line"]], set()).add((site["function"], site["callee"][:8]))
assert {mark: {function for function, _ in calls} for mark, calls in told.items()} == {m: {"main"} for m in ("FEW", "MANY", "LAUNCH")}, told
assert ("main", "cuLaunch") in told["LAUNCH"], told
