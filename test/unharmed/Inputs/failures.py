# Every CUDA call fails: the program sees exactly that error, and the books stay right.
# SPDX-License-Identifier: Apache-2.0
"""failures.py rows TABLE HEADERS LIBRARIES > PROGRAM: calls each entry point of CudaApi.def that the simulator has.
failures.py run ROWS LEDGER RUNTIME LIBRARIES SCRATCH: both programs, with failures. GPUINSTR_FAILURE_STRIDE: of the
ledger's calls every so many fails, one a run."""
import json
import os
import re
import subprocess
import sys
import time

CODES = {2: "out of memory", 1: "invalid value", 999: "unknown", 700: "illegal address, which sticks"}


def rows(table, headers, libraries):
    declared = set()
    for header in headers.split(","):
        text = re.sub(r"/\*.*?\*/", "", open(header, encoding="utf-8").read(), flags=re.S)
        declared |= set(re.findall(r"\b(cu\w+)\s*\(", text))
    exported = set()
    for library in sorted(os.listdir(libraries)):
        if ".so" in library:
            listed = subprocess.run(["nm", "-D", "--defined-only", os.path.join(libraries, library)],
                                    capture_output=True, text=True, check=True).stdout
            exported |= {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    found = re.findall(r"^CUDA_API(?:_N)?\((\w+), (?:\d+, )?(\w+), \w+, ([^,]+), \d+, (.*)\)$",
                       open(table, encoding="utf-8").read(), flags=re.M)
    names = [name for name, op, flags, _ in found if op != "LIBRARY" and re.search(r"\b[EU]\b", flags)
             and name in declared and {name, name + "_v2", name + "_v3"} & exported]
    names = [name for name in names if "LastError" not in name]  # they answer, and do not fail
    names = list(dict.fromkeys(names))
    print("""#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
template <class R, class... A, class F> int drive(R (*)(A...), F call) { return int(call(A{}...)); }
template <class R, class... A> auto typeOf(R (*f)(A...)) -> decltype(f);
#define DRIVE(name)                                                                                \\
  if (int got = drive(decltype(typeOf(&name)){}, [](auto... a) { return name(a...); }); got != wanted) \\
    std::printf("%s gave %d\\n", #name, got);
int main(int, char **arguments) {
  int wanted = std::atoi(arguments[1]);
  static void *d_live = nullptr;
  if (cudaMalloc(&d_live, 4096) != cudaSuccess)
    return 9;""")
    for name in names:
        print("  DRIVE(%s)" % name)
    print('  std::printf("%d rows\\n");\n}' % len(names))


def run(app, arguments, options, fail, runtime, libraries, scratch):
    folder = os.path.join(scratch, "%d" % time.monotonic_ns())
    os.makedirs(folder)
    done = subprocess.run([app, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                          env={"LD_LIBRARY_PATH": libraries, "GPUINSTR_RUNTIME": runtime, "GPUINSTR_OPTIONS": options,
                               "GPUINSTR_SIM": "kernels=skip" + (":fail=" + fail if fail else "")})
    path = os.path.join(folder, "profile.json")
    return done, json.load(open(path, encoding="utf-8")) if os.path.exists(path) else None


def live(profile, memories):
    """What is told as live at the end: count and bytes."""
    found = [f for f in profile["findings"] if f["pattern"] in ("leak", "held-at-exit") and f["memory"] in memories]
    return sum(f["count"] for f in found), sum(f["bytes"] for f in found)


def check(condition, what):
    if not condition:
        sys.exit("FAIL  " + what)


def drive_rows(app, place):
    for code, text in CODES.items():
        # The runtime's own calls of the driver fail as well.
        fail = "cuda*@2+=%d,cu[A-Z]*@1+=%d" % (code, code)
        for options in ("color=never json=profile.json", "color=never json=profile.json audit=full gpu_time=exact"):
            done, profile = run(app, [str(code)], options, fail, *place)
            count = re.fullmatch(r"(\d+) rows\n", done.stdout)
            check(done.returncode == 0 and count and int(count[1]) > 200,
                  "%s: %s %r" % (text, done.returncode, done.stdout + done.stderr[-500:]))
            proven = [f["pattern"] for f in profile["findings"] if f["grade"] == "proven"]
            check(set(proven) <= {"leak"} and live(profile, ["device"])[0] <= 1, "%s: %s" % (text, proven))
            for site in profile["sites"]:
                if site["callee"] != "cudaMalloc" and site["calls"]:
                    check(site["failed"] == site["calls"], "%s: %s counts as done" % (text, site["callee"]))
    print("ok    every row of the table: %s calls, %d errors, 2 sets of options" % (count[1], len(CODES)))


def drive_ledger(app, place):
    stride = int(os.environ.get("GPUINSTR_FAILURE_STRIDE", "7"))
    runs = 0
    for code in (2, 999):
        for n in range(1, 60, stride):
            runs += one_ledger(app, "cuda*@%d=%d" % (n, code), place)
    for share in range(10, 100, 10 * min(stride, 3)):
        runs += one_ledger(app, "cuda*@%d%%=2" % share, place)
    for n in range(1, 60, 3 * stride):  # the device is lost: nothing can be asked any more
        done, profile = run(app, [], "color=never json=profile.json", "cuda*@%d=700" % n, *place)
        plain, _ = run(app, [], "enabled=0", "cuda*@%d=700" % n, *place)
        check(done.stdout == plain.stdout and done.returncode == plain.returncode, "lost device: " + done.stdout)
        counts = [int(c) for c in re.findall(r"\d+", done.stdout)]
        check(not profile or live(profile, ["device", "async"])[0] <= counts[1], "told as live: %s" % counts)
        runs += 1
    print("ok    the ledger: %d runs" % runs)


def one_ledger(app, fail, place):
    done, profile = run(app, [], "color=never json=profile.json", fail, *place)
    plain, _ = run(app, [], "enabled=0", fail, *place)
    check(done.stdout == plain.stdout and done.returncode == plain.returncode == 0,
          "%s: %r, without %r" % (fail, done.stdout, plain.stdout))
    failed, device, size, host, streams = [int(c) for c in re.findall(r"\d+", done.stdout)]
    told = (live(profile, ["device", "async"]), live(profile, ["pinned"])[0], live(profile, ["stream"])[0])
    check(told == ((device, size), host, streams), "%s: told %s, held %s" % (fail, told, done.stdout))
    check(sum(s["failed"] for s in profile["sites"]) == failed, "%s: failures counted" % fail)
    return 1


if sys.argv[1] == "rows":
    rows(*sys.argv[2:5])
else:
    drive_rows(sys.argv[2], sys.argv[4:7])
    drive_ledger(sys.argv[3], sys.argv[4:7])
