# What the plugin says of kernels (-fplugin-arg-gpuinstr-dump-ast), what was seen of them, and the comparison.
# SPDX-License-Identifier: Apache-2.0

import collections
import re

KERNEL = re.compile(r"^kernel (?:direct|kn\w*<)(?P<number>\d+)\b.* \S+:\d+ stub=\S+(?P<flags>.*)$")
PARAMETER = re.compile(r"^  parameter \S+ : .*?(?P<words>(?: (?:read|write|anywhere|escape|unknown|follow|before))*)$")
MEMBER = re.compile(r"^    member at (?P<offset>\d+)(?P<words>.*)$")

Facts = collections.namedtuple("Facts", "flags parameters")  # parameters: [(words, {offset: words})]


def read_facts(text):
    """By number."""
    kernels, current = {}, None
    for line in text.splitlines():
        if line.startswith("kernel "):
            match = KERNEL.match(line)
            current = kernels.setdefault(int(match["number"]), Facts(set(match["flags"].split()), [])) if match else None
        elif current and (match := PARAMETER.match(line)):
            current.parameters.append((set(match["words"].split()), {}))
        elif current and (match := MEMBER.match(line)):
            current.parameters[-1][1][int(match["offset"])] = set(match["words"].split())
    return kernels


class Seen:
    """What a kernel did: observe.h says how it is told."""

    def __init__(self):
        self.endless = self.globals = False
        self.buffers = {}   # number: the words that are true of it
        self.pointers = []  # (argument, offset, buffer, through a table)


def read_seen(text, is_whole=True):
    """By kernel. Of a run that broke off, the last one is left out: what it did was not all told."""
    kernels = collections.defaultdict(Seen)
    lines = [line.split() for line in text.splitlines()]
    if not is_whole:
        last = lines[-1][1:2] if lines else []
        lines = [words for words in lines[:-1] if words[1:2] != last]
    for word, number, *rest in lines:
        seen, rest = kernels[int(number)], [int(n) for n in rest]
        if word == "kernel":
            seen.endless, seen.globals = map(bool, rest)
        elif word == "buffer":
            seen.buffers[rest[0]] = {w for w, is_true in zip(("written", "read", "moved", "kept"), rest[1:]) if is_true}
        else:
            seen.pointers.append((*rest[:3], bool(rest[3])))
    return kernels


# What is true, and the facts of which one says so.
COVERS = {"written": {"write", "escape", "unknown"}, "read": {"read", "escape", "unknown"},
          "moved": {"anywhere", "escape", "unknown"}, "kept": {"escape", "unknown", "numbers read"}}


def too_small(facts, seen):
    """(what was seen and is not among the facts, in words; pointers that were looked at; those that are known)"""
    found, said, number, known = [], collections.defaultdict(set), 0, 0
    for argument, offset, buffer, through in seen.pointers:
        if argument >= len(facts.parameters):
            return [f"argument {argument} has no facts"], number, known
        words, members = facts.parameters[argument]
        words = members.get(offset, words)
        number += 1
        known += "unknown" not in words
        # Of what a table's addresses lead to, nothing but that is told. They may be put elsewhere as numbers: what was
        # brought into any memory counts for each kernel that follows what memory holds (docs/design/audit.md).
        of_table = ({"unknown"} if words & {"unknown", "follow"} else set()) | ({"numbers read"} if "read" in words else set())
        said[buffer] |= of_table if through else words
    for buffer, words in sorted(seen.buffers.items()):
        if buffer not in said:
            seen.globals |= "written" in words
            continue
        for word in sorted(words):
            if not said[buffer] & COVERS[word]:
                found.append(f"{word}: {pointers_to(seen, buffer)}, said to be {' '.join(sorted(said[buffer])) or 'untouched'}")
    if seen.globals and "keeps-globals" in facts.flags:
        found.append("global variables are written, said to be kept")
    if seen.endless and "ends" in facts.flags:
        found.append("goes round for long, said to end")
    return found, number, known


def spoil(facts):
    """No pointer is written any more."""
    for words, members in facts.parameters:
        for of in (words, *members.values()):
            of -= {"write", "escape", "unknown", "follow"}


def pointers_to(seen, buffer):
    return " and ".join(f"argument {a} at {o}{', through a table' if t else ''}" for a, o, b, t in seen.pointers if b == buffer)


def differences(clang, nvcc):
    """Where both know, and do not say the same."""
    found = []
    if len(clang.parameters) != len(nvcc.parameters):
        return [f"clang has {len(clang.parameters)} parameters, nvcc {len(nvcc.parameters)}"]
    for i, ((ours, our_members), (theirs, their_members)) in enumerate(zip(clang.parameters, nvcc.parameters)):
        places = [None, *sorted(our_members)] if our_members else [None]
        if their_members and their_members.keys() != our_members.keys():
            found.append(f"argument {i}: clang has pointers at {sorted(our_members)}, nvcc at {sorted(their_members)}")
            continue
        for place in places:
            here = ours if place is None else our_members[place]
            there = theirs if place is None else their_members.get(place)
            if there is not None and "unknown" not in here | there and here != there:
                found.append(f"argument {i}{'' if place is None else f' at {place}'}: clang says "
                             f"{' '.join(sorted(here)) or 'untouched'}, nvcc {' '.join(sorted(there)) or 'untouched'}")
    return found
