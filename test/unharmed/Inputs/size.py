# Much of everything: memory stays flat behind the first tenth of the calls, and each call is counted.
# SPDX-License-Identifier: Apache-2.0
"""size.py sites COUNT > sites.h
size.py run PROGRAM RUNTIME LIBRARIES SCRATCH LIVE CALLS STREAMS THREADS: plain, then with the defaults and, from 10^6
calls a round on, with audit=full."""
import json
import os
import subprocess
import sys
import time

# What memory may grow by from the first round to the last, more than the program's own. In a short run some tables are
# yet to come; of many sites some have what is kept for each, and the tables of all, only when their turn to be sampled
# comes.
LONG_KIB, SHORT_KIB, SITE_BYTES = 4096, 8192, 64


def sites(count):
    for i in range(count):
        print("static void site%d(void *p) { done(cudaMemset(p, %d, 16)); }" % (i, i % 251))
    print("static void (*const sites[])(void *) = {%s};" % ", ".join("site%d" % i for i in range(count)))


def run(program, runtime, libraries, scratch, options, arguments):
    folder = os.path.join(scratch, "%d" % time.monotonic_ns())
    os.makedirs(folder)
    profile = os.path.join(folder, "profile.json")
    environment = {"LD_LIBRARY_PATH": libraries, "GPUINSTR_RUNTIME": runtime, "PATH": os.environ["PATH"],
                   "GPUINSTR_OPTIONS": "color=never json=%s %s" % (profile, options)}
    started = time.monotonic()
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False,
                          env=environment)
    ended = time.monotonic()
    lines = [line.split() for line in done.stdout.splitlines()]
    if done.returncode != 0 or not lines or lines[-1][0] != "calls" or lines[-1][3] != "0":
        sys.exit("FAIL  [%s] %s: %s" % (options, done.returncode, done.stdout[-500:] + done.stderr[-2000:]))
    resident = [int(line[3]) for line in lines if line[0] == "round"]
    report = ended - int(lines[-1][5]) / 1e9
    told = None
    if os.path.exists(profile):
        with open(profile, encoding="utf-8") as file:
            told = sum(site["calls"] for site in json.load(file)["sites"])
    return int(lines[-1][1]), int(lines[-1][7]), resident, ended - started, report, told


def measure(program, runtime, libraries, scratch, *arguments):
    place = (os.path.abspath(program), runtime, libraries, scratch)
    long = int(arguments[1]) >= 10**7
    for options in (None, "", "audit=full") if long else (None, ""):
        chosen = "enabled=0" if options is None else options
        calls, sites, resident, seconds, report, told = run(*place, chosen, arguments)
        growth = resident[-1] - resident[0]
        print("%-11s %d calls in %.1f s, %d MiB resident, %+d KiB since the first tenth, %.2f s after main" %
              (chosen or "defaults", calls, seconds, resident[-1] / 1024, growth, report), flush=True)
        if options is None:
            plain = growth
            continue
        if told != calls:
            sys.exit("FAIL  [%s] %d calls are counted as %s" % (chosen, calls, told))
        if growth - max(plain, 0) > (LONG_KIB if long else SHORT_KIB) + sites * SITE_BYTES // 1024:
            sys.exit("FAIL  [%s] memory grows: %s KiB" % (chosen, resident))


if sys.argv[1] == "sites":
    sites(int(sys.argv[2]))
else:
    measure(*sys.argv[2:])
