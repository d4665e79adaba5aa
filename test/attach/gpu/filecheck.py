#!/usr/bin/env python3
# What these tests use of LLVM's FileCheck, for machines that have none.
# SPDX-License-Identifier: Apache-2.0
"""filecheck.py [--check-prefix[=]NAME] --input-file FILE TEST: NAME:, NAME-NEXT: and NAME-NOT: lines, {{regular expressions}};
runs of blanks are alike."""
import re
import sys

words = sys.argv[1:]


def option(name, default=None):
    for i, word in enumerate(words):
        if word == name:
            words.pop(i)
            return words.pop(i)
        if word.startswith(name + "="):
            return words.pop(i)[len(name) + 1 :]
    return default


prefix, path = option("--check-prefix", "CHECK"), option("--input-file")


def pattern(text):
    """Of a directive: what stands in {{}} as it is, all else literally."""
    parts = re.split(r"\{\{(.*?)\}\}", re.sub(r"[ \t]+", " ", text.strip()))
    return "".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts))


text = re.sub(r"[ \t]+", " ", open(path, errors="replace").read())
at, forbidden, found = 0, [], 0


def refuse(begin, end):
    for directive, wanted in forbidden:
        if match := re.compile(wanted).search(text, begin, end):
            sys.exit(f"{directive}: found {match[0]!r}")
    forbidden.clear()


for line in open(words[0]):
    directive = re.match(rf".*?(?<![-\w]){prefix}(-NEXT|-NOT)?:(.*)", line)
    if not directive:
        continue
    found += 1
    if directive[1] == "-NOT":
        forbidden.append((line.strip(), pattern(directive[2])))
        continue
    match = re.compile(pattern(directive[2])).search(text, at)
    if not match:
        sys.exit(f"{line.strip()}: not found behind {text[at - 80:at]!r}")
    if directive[1] == "-NEXT" and text.count("\n", at, match.start()) != 1:
        sys.exit(f"{line.strip()}: not in the next line: {text[at:match.end()][:400]!r}")
    refuse(at, match.start())
    at = match.end()
refuse(at, len(text))
sys.exit(0 if found else f"no {prefix}: in {words[0]}")
