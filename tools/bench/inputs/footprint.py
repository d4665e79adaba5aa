# What one call of the runtime executes and touches, from valgrind's trace of it.
# SPDX-License-Identifier: Apache-2.0
"""usage: footprint.py RUNTIME BENCH [--functions] ROW...

Runs BENCH ROW (gpuinstr-bench-footprint) under valgrind's lackey and prints, for the median of the
marked calls (of rounds the lowest tenth, in which nothing is timed): instructions, distinct 64-byte lines of code, of data, of the stack, pages of 4 KiB,
and questions to the driver; below it the same by who did it. Code of no one in particular, such as
the C library's, counts as its caller's. --functions adds every function of the runtime.
"""
import bisect
import collections
import os
import re
import subprocess
import sys
import tempfile

LINE = 64
# By name, first match; what matches none is its caller's.
CONSUMERS = [
    (None, r"AddressMap"),
    ("host memory", r"operator (new|delete)|namespace\)::(take|give)\("),
    ("audit", r"gpuinstr::audit::"),
    ("memory, ledger", r"[lL]edger|MemoryByOwner|FreedSlots|MemoryObserver|BoundsObserver|"
                       r"gpuinstr::Allocation|gpuinstr::Freed|HandleKey|callerThatNames"),
    ("times, idle, NVTX", r"gpuinstr::timing::|DurationStats|flushAndPlan|flushDurations|endBlock"),
    ("driver questions", r"currentContext|currentDevice|bufferIdOf|RelaxedCapture|captureOf|"
                         r"streamIsCapturing"),
    ("calls", r"gpuinstr::"),
]


class Symbols:
    """Functions of the runtime, by address."""

    def __init__(self, runtime):
        found = {}
        for line in subprocess.run(["nm", "-C", "--defined-only", runtime], check=True,
                                   capture_output=True, text=True).stdout.splitlines():
            address, kind, name = line.split(" ", 2)
            if kind in "tTwWiu":
                found.setdefault(int(address, 16), name)
        self.starts = sorted(found)
        self.names = [found[start] for start in self.starts]
        self.consumers = [next((who for who, pattern in CONSUMERS if re.search(pattern, name)), None)
                          for name in self.names]

    def index(self, offset):
        return bisect.bisect_right(self.starts, offset) - 1


class Mappings:
    def __init__(self, path):
        self.mark = 0
        self.objects = []  # (begin, end, kind)
        self.base = None
        self.complete = False
        self.stack = (0, 0)
        for line in open(path):
            if not line.endswith("\n"):
                break  # it is being written
            if line.startswith("mark "):
                self.mark = int(line.split()[1])
                continue
            if line.startswith("stack "):
                top = int(line.split()[1])
                self.stack = (top - (1 << 20), top + (1 << 16))
                continue
            if line.startswith("end"):
                self.complete = True
                break
            fields = line.split()
            begin, end = (int(part, 16) for part in fields[0].split("-"))
            name = os.path.basename(fields[5]) if len(fields) > 5 else ""
            if name.startswith("libgpuinstr_rt") and self.base is None:
                self.base = begin - int(fields[2], 16)
            if "x" in fields[1]:
                kind = ("runtime" if name.startswith("libgpuinstr_rt") else
                        "driver" if name.startswith("libcuda") else
                        "bench" if name.startswith("gpuinstr-bench") else "other")
                self.objects.append((begin, end, kind))

    def kind(self, address):
        for begin, end, kind in self.objects:
            if begin <= address < end:
                return kind
        return "other"


class Sum:
    def __init__(self):
        self.instructions = 0
        self.code, self.data, self.stack = set(), set(), set()

    def row(self):
        return (self.instructions, len(self.code), len(self.data), len(self.stack))

    def pages(self):
        return tuple(len({line // (4096 // LINE) for line in lines})
                     for lines in (self.code, self.data))


class Call:
    def __init__(self):
        self.all = Sum()
        self.by = collections.defaultdict(Sum)
        self.functions = collections.defaultdict(Sum)
        self.questions = 0


def read_calls(trace, mappings, symbols):
    """Of each instruction line its own, of each access the instruction before it."""
    calls, call, sums, was_driver, who = [], None, (), False, "calls"
    places = {}  # by page and by instruction: looked up once
    for line in trace:
        if line[0] == "I":
            address = int(line[3:line.index(",")], 16)
            if address == mappings.mark:
                if call:
                    calls.append(call)
                call, sums = Call(), ()
                continue
            if not call:
                continue
            place = places.get(address)
            if place is None:
                kind = mappings.kind(address)
                index = symbols.index(address - mappings.base) if kind == "runtime" else None
                place = places[address] = (kind, index)
            kind, index = place
            if kind == "driver" or kind == "bench":
                call.questions += kind == "driver" and not was_driver
                was_driver = kind == "driver"
                sums = ()
                if kind == "bench":
                    who = "calls"
                continue
            if was_driver and kind == "other":
                sums = ()
                continue
            was_driver = False
            if index is not None and symbols.consumers[index]:
                who = symbols.consumers[index]
            sums = (call.all, call.by[who])
            if index is not None:
                sums += (call.functions[index],)
            for one in sums:
                one.instructions += 1
                one.code.add(address // LINE)
        elif line[0] == " " and sums:
            address = int(line[3:line.index(",")], 16)
            isStack = mappings.stack[0] <= address < mappings.stack[1]
            for one in sums:
                (one.stack if isStack else one.data).add(address // LINE)
    return calls


def measure(bench, row, symbols):
    with tempfile.TemporaryDirectory() as folder:
        about, pipe = os.path.join(folder, "about"), os.path.join(folder, "trace")
        os.mkfifo(pipe)
        if not os.access(bench, os.X_OK):
            sys.exit("footprint: %s is not there: build first" % bench)
        env = dict(os.environ)
        env["LD_BIND_NOW"] = "1"
        process = subprocess.Popen(
            ["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=" + pipe, bench, row,
             about], env=env)
        with open(pipe) as trace:
            for line in trace: # what comes before the marks is most of it
                if os.path.exists(about):
                    break
            mappings = Mappings(about)
            while not mappings.complete and trace.readline():
                mappings = Mappings(about)
            calls = read_calls(trace, mappings, symbols)
        if process.wait() or not calls:
            sys.exit("footprint: %s %s failed" % (bench, row))
    calls.sort(key=lambda call: call.all.instructions)
    # Of several calls at once there is mostly one that is timed or looked at.
    return calls[len(calls) // (10 if row == "capture-round" else 2)]


def main(arguments):
    runtime, bench, rows = arguments[0], arguments[1], arguments[2:]
    functions = "--functions" in rows
    rows = [row for row in rows if row != "--functions"]
    symbols = Symbols(runtime)
    print("%-34s %12s %5s %5s %6s  %s" % ("", "instructions", "code", "data", "stack",
                                           "pages of code, of data; questions"))
    for row in rows:
        call = measure(bench, row, symbols)
        print("%-34s %12d %5d %5d %6d  %d, %d; %d" %
              ((row,) + call.all.row() + call.all.pages() + (call.questions,)))
        for who, one in sorted(call.by.items(), key=lambda item: -item[1].instructions):
            print("  %-32s %12d %5d %5d %6d" % ((who,) + one.row()))
        if functions:
            for index, one in sorted(call.functions.items(),
                                     key=lambda item: -item[1].instructions):
                print("    %6d %4d %4d %4d  %s" % (one.row() + (symbols.names[index][:150],)))
        sys.stdout.flush()


main(sys.argv[1:])
