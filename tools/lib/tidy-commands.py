#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the compile commands that clang-tidy reads: BUILD's, each source once, without GCC's
precompiled headers, which clang cannot load (their headers are included as text).

    tidy-commands.py BUILD OUTPUT
"""
import json
import os
import re
import sys


def main():
    build, output = map(os.path.abspath, sys.argv[1:])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = json.load(f)
    kept = {}
    for entry in entries:
        if entry["file"].endswith(("cmake_pch.hxx.cxx", ".pb.cc")):  # generated
            continue
        command = entry["command"].replace(" -Winvalid-pch", "").replace(" -fpch-preprocess", "")
        # `X.hxx` has `X.hxx.gch` beside it: a copy elsewhere has not.
        for header in re.findall(r" -include (\S+/cmake_pch\.hxx)", command):
            copy = os.path.join(output, re.sub(r"\W+", "_", os.path.relpath(header, build)) + ".h")
            with open(header, encoding="utf-8") as f, open(copy, "w", encoding="utf-8") as g:
                g.write(f.read().replace("#pragma GCC system_header", ""))
            command = command.replace(header, copy)
        kept.setdefault(entry["file"], {**entry, "command": command})
    with open(os.path.join(output, "compile_commands.json"), "w", encoding="utf-8") as f:
        json.dump(list(kept.values()), f, indent=1)


if __name__ == "__main__":
    main()
