# Compares a profile's findings with what the simulated device's oracle says is true.
# SPDX-License-Identifier: Apache-2.0
"""A proven finding that the truth does not bear out is a contradiction: at its line, more occurrences or bytes than
there were of that kind. What is likely or advice is only counted."""

import json
import os
from collections import defaultdict

SITES = "sites.h"  # the calls that are judged stand in this file
TRANSFERS = ("noop-copy", "reupload", "roundtrip", "uniform-upload", "dead-copy")
MEMORY = ("unused-allocation", "leak")


class Truth:
    """What was true at each line: {(finding id, line): [occurrences, bytes]}."""

    def __init__(self, text, wrong=(), wrong_lines=None):
        self.sums = defaultdict(lambda: [0, 0])
        for row in text.splitlines():
            kind, line, *sums = row.split()
            for word in sums:
                name, _, value = word.partition("=")
                key = kind if name == "all" else name
                count, size = map(int, value.split(","))
                self.sums[key, int(line)] = [count, size]
        for line in wrong:
            for name in (wrong_lines or {}).get(line, ()):
                self.sums[name, line][0] += 1
                self.sums[name, line][1] += 1 << 40  # of wrong calls only the number is known

    def at(self, name, line):
        return self.sums.get((name, line), [0, 0])

    def bears_out(self, name, grade, line):
        """So many occurrences at most. What is likely to be dead may be there still, unread, at the end."""
        true = self.at(name, line)[0]
        return true + self.at("unread", line)[0] if (name, grade) == ("dead-copy", "likely") else true

    def spoil(self):
        """Takes one occurrence of each kind from each line: a truth that is wrong, to see that it is noticed."""
        for value in self.sums.values():
            value[0] = max(0, value[0] - 1)


def findings(profile):
    """[(finding id, grade, file, line, occurrences, bytes, compared)] summed up by the first four."""
    sites = {site["id"]: site for site in profile["sites"]}
    sums = defaultdict(lambda: [0, 0, 0])
    for finding in profile["findings"]:
        site = sites.get(finding["site"])
        if site and site.get("via"):  # the truth is of the calls themselves
            site = sites.get(site["via"][-1])
        where = (os.path.basename(site["file"]), site["line"]) if site else ("", 0)
        total = sums[(finding["pattern"], finding["grade"]) + where]
        # Where the count is an estimate, and says so, the proof is of those that were met.
        count = finding.get("counted") or finding["count"]
        total[0] += count
        total[1] += finding["bytes"] // max(finding["count"], 1) * count if finding.get("counted") else finding["bytes"]
        total[2] += finding["checked"]
    return [key + tuple(value) for key, value in sums.items()]


def contradictions(found, truth):
    """One text for each proven finding that is not true."""
    wrong = []
    for name, grade, file, line, count, size, checked in found:
        if grade != "proven":
            continue
        true = truth.at(name, line) if file == SITES else [0, 0]
        if count > true[0] or size > true[1]:
            wrong.append(f"{name} proven x{count} ({size} B, {checked} compared) at {file}:{line}, "
                         f"true x{true[0]} ({true[1]} B)")
    return wrong


class Tally:
    """How much of what was true was found, and how much of what was said was true."""

    def __init__(self):
        self.true, self.said, self.right = defaultdict(int), defaultdict(int), defaultdict(int)

    def add(self, found, truth):
        for (name, _), (count, _) in truth.sums.items():
            self.true[name] += count
        for name, grade, file, line, count, *_ in found:
            if file == SITES:
                self.said[name, grade] += count
                self.right[name, grade] += min(count, truth.bears_out(name, grade, line))

    def rows(self):
        yield "finding", "true", "proven", "likely", "advice", "said and untrue: proven, likely, advice"
        for name in TRANSFERS + MEMORY:
            grades = ("proven", "likely", "advice")
            untrue = ", ".join(str(self.said[name, g] - self.right[name, g]) for g in grades)
            yield (name, str(self.true[name])) + tuple(str(self.right[name, g]) for g in grades) + (untrue,)


def read_profile(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def wrong_lines(source):
    """{line: [finding ids]} of the calls in sites.h that are wrong on purpose, by their comments."""
    names = {"out of bounds": ["out-of-bounds-copy"], "no allocation starts there": ["invalid-free"],
             "freed before": ["double-free"]}
    found = {}
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if "WRONG(" in line and "//" in line:
                found[number] = names[line.split("//")[1].strip()]
    return found
