# Made-up profiles against made-up truths.
# SPDX-License-Identifier: Apache-2.0
import os

import judge

SITES = [{"id": "a", "file": "x/sites.h", "line": 7}, {"id": "b", "file": "x/sites.h", "line": 8},
         {"id": "c", "file": "x/other.h", "line": 7},
         {"id": "user", "file": "x/other.h", "line": 9, "via": ["c", "a"]}]
TRUTH = ("transfer 7 all=9,900 noop-copy=5,500 reupload=1,100 roundtrip=0,0 uniform-upload=2,200 dead-copy=3,300\n"
         "memory 8 all=4,64 unused-allocation=1,16 leak=2,32\n")


def texts(*found, wrong=(), spoiled=False):
    """The contradictions of findings (id, grade, site, count, bytes)."""
    profile = {"sites": SITES, "findings": [
        {"pattern": name, "grade": grade, "site": site, "count": count, "bytes": size, "checked": count}
        for name, grade, site, count, size in found]}
    truth = judge.Truth(TRUTH, wrong, {30: ["double-free"]})
    if spoiled:
        truth.spoil()
    return judge.contradictions(judge.findings(profile), truth)


# What is true, to the last occurrence.
assert not texts(("noop-copy", "proven", "a", 5, 500), ("reupload", "proven", "a", 1, 100),
                 ("dead-copy", "proven", "a", 3, 300), ("leak", "proven", "b", 2, 32),
                 ("unused-allocation", "proven", "b", 1, 16))
# One occurrence too many, or one byte; by one finding or by two of one line.
for name, count, size in (("noop-copy", 5, 500), ("reupload", 1, 100), ("dead-copy", 3, 300), ("uniform-upload", 2, 200)):
    assert len(texts((name, "proven", "a", count + 1, size))) == 1, name
    assert len(texts((name, "proven", "a", count, size + 1))) == 1, name
    assert len(texts((name, "proven", "a", count, size), (name, "proven", "a", 1, 0))) == 1, name
    assert not texts((name, "likely", "a", count + 1, size), (name, "advice", "a", 100, size))
assert len(texts(("leak", "proven", "b", 3, 32), ("unused-allocation", "proven", "b", 2, 16))) == 2
# Of a wrapper's row: at the call that it comes from.
assert not texts(("noop-copy", "proven", "user", 3, 300), ("noop-copy", "proven", "a", 2, 200))
assert len(texts(("noop-copy", "proven", "user", 6, 300))) == 1
# A kind, a line or a file of which nothing is true.
assert len(texts(("roundtrip", "proven", "a", 1, 0))) == 1
assert len(texts(("noop-copy", "proven", "b", 1, 0))) == 1
assert len(texts(("noop-copy", "proven", "c", 1, 0))) == 1
assert len(texts(("noop-copy", "proven", "unknown", 1, 0))) == 1
assert len(texts(("needless-sync", "proven", "a", 1, 0))) == 1
# An estimate is of those that were met.
estimate = {"sites": SITES, "findings": [{"pattern": "noop-copy", "grade": "proven", "site": "a", "count": 50, "counted": 5,
                                          "bytes": 5000, "checked": 5}]}
assert not judge.contradictions(judge.findings(estimate), judge.Truth(TRUTH))
estimate["findings"][0]["counted"] = 6
assert len(judge.contradictions(judge.findings(estimate), judge.Truth(TRUTH))) == 1
# Calls that are wrong on purpose.
SITES.append({"id": "d", "file": "sites.h", "line": 30})
assert len(texts(("double-free", "proven", "d", 1, 0))) == 1
assert not texts(("double-free", "proven", "d", 1, 0), wrong=[30])
assert len(texts(("double-free", "proven", "d", 2, 0), wrong=[30])) == 1
assert len(texts(("invalid-free", "proven", "d", 1, 0), wrong=[30])) == 1
# A spoiled truth is noticed.
assert len(texts(("noop-copy", "proven", "a", 5, 500), spoiled=True)) == 1

# The lines of sites.h that are wrong on purpose are found.
lines = judge.wrong_lines(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sites.h"))
assert sorted(names[0] for names in lines.values()) == [
    "double-free", "invalid-free", "out-of-bounds-copy", "out-of-bounds-copy"], lines

# What nobody reads up to the end is likely to be dead, and not proven.
UNREAD = judge.Truth("transfer 7 dead-copy=2,200 unread=3,300\n")
tally = judge.Tally()
tally.add([("dead-copy", "likely", "sites.h", 7, 6, 600, 0), ("dead-copy", "proven", "sites.h", 7, 3, 300, 3)], UNREAD)
assert next(row for row in tally.rows() if row[0] == "dead-copy") == ("dead-copy", "2", "2", "5", "0", "1, 1, 0")
assert judge.contradictions([("dead-copy", "proven", "sites.h", 7, 3, 300, 3)], UNREAD)

# What is found and what is said is counted.
tally = judge.Tally()
tally.add([("noop-copy", "proven", "sites.h", 7, 4, 400, 4), ("noop-copy", "likely", "sites.h", 7, 7, 0, 0)],
          judge.Truth(TRUTH))
row = next(row for row in tally.rows() if row[0] == "noop-copy")
assert row == ("noop-copy", "5", "4", "5", "0", "0, 2, 0"), row
