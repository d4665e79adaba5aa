# Records the callbacks of the programs, or compares a recording with what comes now, program by program.
# SPDX-License-Identifier: Apache-2.0
"""compare.py --record RECORDED PROGRAMS RECORDER
compare.py RECORDED PROGRAMS RECORDER WATCHED

On a GPU the callbacks are CUPTI's, else the stand-in's. RECORDED has `# NAME` before each program's lines, as recorder.cpp writes them. Compared are the callbacks of functions that
the stand-in has (WATCHED, its table): order, nesting, thread, parameters with addresses numbered anew, results.
"""
import os
import re
import subprocess
import sys
import tempfile

record = sys.argv[1] == "--record"
recorded, programs, recorder = sys.argv[1 + record:4 + record]
# Handles that are small numbers, or whatever the memory held: of no meaning.
IGNORED = {"cuTexObjectCreate", "cuTexObjectDestroy", "cuSurfObjectCreate", "cuSurfObjectDestroy"}
# The driver puts a function and data of its own in place of the program's, and the exit shows them.
REPLACED = {"cuStreamAddCallback"}


def kept(lines, watched):
    numbers, out = {}, []
    for line in lines:
        words = line.split()
        if len(words) > 3 and words[2] in watched - IGNORED:
            if words[1] == "<" and words[2] in REPLACED:
                words = words[:6]
            out.append(" ".join(numbers.setdefault(w, f"a{len(numbers) + 1}") if re.fullmatch(r"a\d+", w) else w for w in words))
    return out


def here(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        subprocess.run([programs, name], env=dict(os.environ, SEQUENCES_OUT=path, CUDA_INJECTION64_PATH=recorder), check=True)
        return open(path).read().splitlines()


names = subprocess.run([programs], capture_output=True, text=True, check=True).stdout.split()
if record:
    with open(recorded, "w") as out:
        for name in names:
            out.write("".join(line + "\n" for line in ["# " + name, *here(name)]))
    sys.exit()
watched = set(re.findall(r"^SIM_WATCHED\((\w+)", open(sys.argv[4]).read(), re.M))
there = {}
for line in open(recorded):
    if line.startswith("# "):
        lines = there.setdefault(line[2:].strip(), [])
    else:
        lines.append(line)
assert len(names) >= 30 and set(names) == set(there), set(names) ^ set(there)
compared, failed = 0, False
for name in names:
    want, got = kept(there[name], watched), kept(here(name), watched)
    compared += len(want)
    if want == got:
        continue
    failed = True
    at = next((i for i, (w, g) in enumerate(zip(want, got)) if w != g), min(len(want), len(got)))
    print(f"{name}: callback {at + 1} of {len(want)}\n  recorded {want[at] if at < len(want) else 'none'}\n  now      {got[at] if at < len(got) else 'none'}")
print(f"{compared} callbacks of {len(names)} programs compared")
sys.exit(failed)
