# Runs crowd.cu: each count of the report is the program's own.
# SPDX-License-Identifier: Apache-2.0
"""crowd.py PROGRAM RUNTIME LIBRARIES SCRATCH THREADS ROUNDS [PREFIX...]: once for each set of options. PREFIX is put
before the program (valgrind and its arguments). GPUINSTR_TEST_PRELOAD: a sanitizer's library."""
import collections
import json
import os
import subprocess
import sys
import time

PROGRAM, RUNTIME, LIBRARIES, SCRATCH, THREADS, ROUNDS, *PREFIX = sys.argv[1:]
OPTIONS = ("", "audit=full gpu_time=exact trace=trace.out")


def run(options):
    folder = os.path.join(SCRATCH, "%d" % time.monotonic_ns())
    os.makedirs(folder)
    environment = {**{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS") or k in ("PATH", "GPUINSTR_SIM")},
                   "LD_LIBRARY_PATH": LIBRARIES, "GPUINSTR_RUNTIME": RUNTIME,
                   "GPUINSTR_OPTIONS": "color=never json=profile.json " + options}
    if "GPUINSTR_TEST_PRELOAD" in os.environ:
        environment["LD_PRELOAD"] = os.environ["GPUINSTR_TEST_PRELOAD"]
    started = time.monotonic()
    done = subprocess.run([*PREFIX, PROGRAM, THREADS, ROUNDS], cwd=folder, capture_output=True, text=True, check=False,
                          env=environment)
    if done.returncode != 0:
        sys.exit("FAIL  [%s] ends with %d: %s" % (options, done.returncode, done.stderr[:8000]))
    with open(os.path.join(folder, "profile.json"), encoding="utf-8") as file:
        return done, json.load(file), time.monotonic() - started


for options in OPTIONS:
    done, profile, seconds = run(options)
    own = {name: int(count) for name, count in (line.split() for line in done.stdout.splitlines())}
    failures = own.pop("failures")
    told = collections.Counter()
    for site in profile["sites"]:
        told[site["callee"]] += site["calls"]
    wrong = {name: (told[name], count) for name, count in own.items() if told[name] != count}
    if wrong or failures or sum(own.values()) == 0:
        sys.exit("FAIL  [%s] told and own counts differ: %s, %d failed" % (options, wrong, failures))
    leaks = [f for f in profile["findings"] if f["pattern"] in ("leak", "held-at-exit", "bad-free", "double-free")]
    if leaks:
        sys.exit("FAIL  [%s] all is freed, but: %s" % (options, leaks))
    print("ok    %s threads, %d calls, each counted [%s]: %.1f s" % (THREADS, sum(own.values()), options, seconds))
