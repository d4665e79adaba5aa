#!/usr/bin/env python3
# Compares what the plugin knows of kernels under nvcc with what it knows under clang, fact by fact.
# SPDX-License-Identifier: Apache-2.0
#
#   compare-facts.py --clang 'COMMAND' --nvcc 'COMMAND' FILE...
#
# Each command compiles FILE with the plugin and -fplugin-arg-gpuinstr-dump-ast; FILE and `-o OUT`
# are put behind it. A fact is what a kernel does through one parameter, or through one pointer in it,
# whether it ends, and whether it keeps global variables. Under nvcc it may be unknown; where it is known it must be clang's. What
# clang does not know and nvcc does is counted apart: bodies differ by headers there.
# Exit code 1: a fact differs, or a file had kernels under clang and none under nvcc.

import argparse
import collections
import os
import re
import shlex
import subprocess
import sys
import tempfile

KERNEL = re.compile(r"^kernel (?P<name>.*) (?P<file>[^ ]+):(?P<line>\d+) stub=\S+(?P<flags>.*)$")
PARAMETER = re.compile(r"^  parameter (?P<name>\S+) : .* \d+(?: (?:pointer|aggregate))?(?P<access>(?: (?:read|write|anywhere|escape|unknown|follow|before))*)$")
MEMBER = re.compile(r"^    member at (?P<offset>\d+)(?P<access>(?: (?:read|write|anywhere|escape|unknown|follow|before))*)$")
POINTS = re.compile(r" \d+ (?:pointer|aggregate)(?: (?:read|write|anywhere|escape|unknown|follow|before))*$")


def dump(command, source, out):
    run = subprocess.run([*shlex.split(command), source, "-o", out], capture_output=True, text=True, check=False)
    if run.returncode:
        return None
    kernels = collections.defaultdict(list)
    current = None
    for line in run.stdout.splitlines():
        if match := KERNEL.match(line):
            current = (set(match["flags"].split()), [])
            kernels[os.path.basename(match["file"]), int(match["line"])].append((match["name"], *current))
        elif current and line.startswith("  parameter ") and POINTS.search(line):
            match = PARAMETER.match(line)
            members = {}
            current[1].append((match["name"], set(match["access"].split()), members))
        elif current and (match := MEMBER.match(line)):
            members[int(match["offset"])] = set(match["access"].split())
    return kernels


def name_key(name):
    """Template arguments as both compilers spell them; a lambda has no name that both know."""
    name = re.sub(r"\b(struct|class|enum) |::", "", name)
    return "" if "lambda" in name or "__nv_" in name or "dl_wrapper" in name else re.sub(r"[ ()]", "", name)


def pairs(ours, theirs):
    """nvcc's instances of one kernel with clang's: by name, what is left in order."""
    left = list(theirs)
    later = []
    for kernel in ours:
        same = [k for k in left if name_key(k[0]) == name_key(kernel[0]) != ""]
        if same:
            left.remove(same[0])
            yield kernel, same[0]
        else:
            later.append(kernel)
    yield from zip(later, left)


def each_fact(params, want_params):
    """Of each parameter and of the pointers in it; where one side has none, of the parameter."""
    for (param, here, members), (_, there, want_members) in zip(params, want_params):
        yield param, here, there
        for offset in sorted(members.keys() | want_members.keys()):
            yield f"{param}+{offset}", members.get(offset, here), want_members.get(offset, there)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    total = collections.Counter()
    bad = False
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out.o")
        for source in options.files:
            clang, nvcc = dump(options.clang, source, out), dump(options.nvcc, source, out)
            if clang is None or nvcc is None:
                total["files that do not compile"] += 1
                print(f"{source}: does not compile by {'clang' if clang is None else 'nvcc'}")
                continue
            total["files"] += 1
            for place, kernels in nvcc.items():
                for (name, flags, params), (_, want_flags, want_params) in pairs(kernels, clang.get(place, [])):
                    total["kernels"] += 1
                    facts = [(flag, flag in flags, flag in want_flags) for flag in ("ends", "keeps-globals")]
                    for fact, here, there in facts:
                        kind = "equal" if here == there else "unknown" if there else "more"
                        total[kind] += 1
                        if kind != "equal" and options.verbose:
                            print(f"{source}:{place[1]}: {name}: {fact} {kind}")
                    if len(params) != len(want_params):
                        bad = True
                        print(f"{source}:{place[1]}: {name}: {len(params)} parameters, clang has {len(want_params)}")
                        continue
                    for param, here, there in each_fact(params, want_params):
                        if here == there:
                            total["equal"] += 1
                        elif "unknown" in here or here == there | {"anywhere"}:  # where is not known
                            total["unknown"] += 1
                            if options.verbose:
                                print(f"{source}:{place[1]}: {name}: {param} {' '.join(sorted(here))}, clang {' '.join(sorted(there))}")
                        elif "unknown" in there:
                            total["more"] += 1
                            if options.verbose:
                                print(f"{source}:{place[1]}: {name}: {param} {' '.join(sorted(here))}, clang unknown")
                        else:
                            bad = True
                            total["different"] += 1
                            print(f"{source}:{place[1]}: {name}: {param} {' '.join(sorted(here))}, clang {' '.join(sorted(there))}")
            missing = [place for place in clang if place not in nvcc]
            total["kernels that nvcc's host code has not"] += len(missing)
    print(", ".join(f"{count} {kind}" for kind, count in total.items()))
    print("facts differ" if bad else "no fact differs")
    return bad


if __name__ == "__main__":
    sys.exit(main())
