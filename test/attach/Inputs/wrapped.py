# What a profile of wrapped.cpp has to say of its calls: line, function, variable and caller; and what is found.
# SPDX-License-Identifier: Apache-2.0
"""wrapped.py PROFILE SOURCE HEADER [twin]"""
import json
import os
import sys

profile = json.load(open(sys.argv[1]))
lines = {}
for path in sys.argv[2:4]:
    for number, text in enumerate(open(path).read().splitlines(), 1):
        if " // " in text:
            lines[text.rsplit(" // ")[-1]] = (path.rsplit("/")[-1], number)
sites = {site["id"]: site for site in profile["sites"]}


def place(site):
    return site["file"].rsplit("/")[-1], site["line"]


# By the line: function, variable, the caller's line and function.
expected = {
    lines["DIRECT"]: ("main", "direct", None),
    lines["LAUNCH"]: ("main", "", None),
    lines["NAMESPACE"]: ("own::cudaMalloc<int>", "memory", (lines["NAMED"], "main")),
    lines["WRAPPER"]: ("(anonymous namespace)::makeFloats", "floats", (lines["WRAPPED"], "main")),
    lines["SAFE"]: ("(anonymous namespace)::cudaSafeCall", "d_safe", (lines["RETURN"], "main")),
    lines["UPLOAD"]: ("(anonymous namespace)::Upload::Upload", "d_to", (lines["SENT"], "main")),
}
told = {}
for site in profile["sites"]:
    if place(site) in expected and site["calls"]:
        caller = sites.get(site.get("caller"))
        if caller and not caller["line"]:
            caller = None  # what called main
        # Where the source does not lie where it was compiled, there are no variables.
        variable = site["variable"] if os.path.exists(site["file"]) else expected[place(site)][1]
        told.setdefault(place(site), []).append((site["function"], variable, caller and (place(caller), caller["function"])))
assert told == {at: [one] for at, one in expected.items()}, told
assert not [s for s in profile["sites"] if place(s) == lines["HEADER"]], "a line of CUDA's own"

told = [(*place(s), s["function"], s["callee"]) for s in profile["sites"] if s["line"]]
assert len(told) == len(set(told)), f"a call that the compiler copied is several: {told}"

found = {(f["pattern"], place(sites[f["site"]])) for f in profile["findings"] if f["grade"] in ("proven", "likely")}
leaks = {("leak", lines[mark]) for mark in ("DIRECT", "NAMESPACE", "WRAPPER")}
waste = {(pattern, lines["UPLOAD"]) for pattern in ("noop-copy", "reupload", "dead-copy")}
if len(sys.argv) > 4:
    assert not found, found
else:
    unused = {("unused-allocation", lines[mark]) for mark in ("DIRECT", "NAMESPACE")}
    assert leaks <= found and waste & found and found <= leaks | waste | unused, found
