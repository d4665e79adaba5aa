# Writes a profile of many call sites and a trace of many events (docs/design/trace-file.md), names with markup among them.
# SPDX-License-Identifier: Apache-2.0
#
# usage: make_trace.py FOLDER SITES EVENTS
import json
import os
import random
import struct
import sys

MASK = (1 << 64) - 1
LAUNCH, COPY, ALLOC, FREE = 19, 8, 4, 5
EVIL = "</script><img src=x onerror=\"console.error('markup')\"><b>"


def string(text):
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def padded(data):
    return data + b"\0" * (-len(data) % 8)


def block(kind, count, payload):
    value = ((kind << 32 | len(payload)) ^ (count << 16)) & MASK
    for (word,) in struct.iter_unpack("<Q", payload):
        value = (value ^ word) * 0x9E3779B97F4A7C15 & MASK
        value ^= value >> 32
    return struct.pack("<IIII", kind, len(payload), count, value & 0xFFFFFFFF) + payload


def main():
    folder, sites, events = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    random.seed(7)
    os.makedirs(folder, exist_ok=True)
    kinds = [("launch", LAUNCH, "step"), ("copy", COPY, "cudaMemcpyAsync"), ("alloc", ALLOC, "cudaMalloc"), ("free", FREE, "cudaFree")]
    table, described = [], b""
    for i in range(1, sites + 1):
        kind, op, callee = kinds[i % 4]
        name = f"{callee}{i}" if i > 1 else EVIL
        function = f"solvers::iterative::ConjugateGradient<double, Preconditioner<{i}>>::advance" if i % 3 else f"Solver<{i}>::run"
        calls, each = random.randint(1, 5000), random.randint(500, 50000)
        host = dict(count=calls, total_ns=calls * each, mean_ns=float(each), stddev_ns=1.0, min_ns=each // 2, max_ns=each * 9, median_ns=each, first_ns=each)
        table.append(dict(id=f"{i:016x}", kind=kind, file=f"/src/part{i % 20}.cu", line=i, column=3, function=function, callee=name, arguments=["u", "n"], variable="d_u" if op == ALLOC else "",
                          type="", caller="", memory="device" if op == ALLOC else "", calls=calls + 1, failed=0, bytes=calls * 4096 if op == COPY else 0, host=host, kernels=[name] if op == LAUNCH else []))
        described += padded(struct.pack("<IIIIHHHHQ", i, i, 3, 0, op, 1 if op in (ALLOC, FREE) else 0, 0, 0, i) + b"".join(map(string, (f"/src/part{i % 20}.cu", function, name, "", ""))))
    finding = dict(pattern="leak", grade="proven", site=f"{min(3, sites):016x}", caller="", related="", variable=EVIL, type="float", memory="device", count=4, bytes=4194304, elements=262144, cost_ns=0,
                   direction="", source="", checked=0, unchanged=0, error="", message="", fix="", suppressed=False, suppression="", holders=[])
    likely = dict(finding, pattern="dead-copy", grade="likely", variable="d_v")
    process = dict(pid=77, exe="/bin/solver", args=["./solver"], host="node", rank=-1, rank_source="", wall_ns=10**9, ended="exit", exit_code=0, startup_ns=1000, own_cost_percent=0.5, first_site=f"{1:016x}")
    audit = dict(mode="off", **{key: 0 for key in ("eligible", "eligible_bytes", "verified", "verified_bytes", "skipped_budget", "skipped_busy", "skipped_capture", "skipped_full", "skipped_device", "skipped_unreadable")})
    with open(os.path.join(folder, "profile.json"), "w", encoding="utf-8") as file:
        json.dump(dict(schema="gpuinstr-profile", version=1, process=process, devices=[dict(ordinal=0, name="NVIDIA " + EVIL, memory_bytes=10**11, peak_bytes=10**9, peak_at_ns=5, simulated=False, kernels_not_run=0)],
                       sites=table, findings=[finding, likely], peak_holders=[], coverage=dict(images=[], vendor=[], addresses_taken=[], sites=sites, sites_run=sites, audit=audit, notes=[]),
                       suppressions=[], cuda_used=True, paused=False), file)
    records, now = [], 1000
    for i in range(events // 2):  # a call, and the work that it started
        site = i % sites + 1
        op = kinds[site % 4][1]
        length = int(random.expovariate(1 / 4000)) + 200
        tail = struct.pack("<IIIHHHHI", 8, 8, 1, 128, 1, 1, 32, 0) if op == LAUNCH else struct.pack("<QQBBHI", 0x1000 + site // 4 * 4096, 0, 2, 1, 0, 0)
        end = struct.pack("<HHI", 0, 0, 0)
        if i % 5000 == 4999:  # calls that were left out before this one, to stay within the budget
            now += events * 800
        size = 4096 if op in (COPY, ALLOC) else 0
        head = (site, 0, 1, 0, i + 1, size, 0)
        kind = struct.pack("<BBi", 1 if op in (ALLOC, FREE) else 0, 0, 0)
        records.append(struct.pack("<QQIIIIQQQ", now, now + length, *head) + struct.pack("<BB", 1, op) + kind + tail
                       + (struct.pack("<HHI", 0, 0, 40) if i % 5000 == 4999 else end))
        if op in (LAUNCH, COPY):
            records.append(struct.pack("<QQIIIIQQQ", now + length, now + 3 * length, site, 0, 0, 0, i + 1, size, 0) + struct.pack("<BB", 2, op) + kind + tail + end)
        now += int(length * 3.2)
    clock = lambda t, n: struct.pack("<QQQQQ", t, t, t, n, 0)
    out = struct.pack("<8sIIIIQ", b"GPITRACE", 1, 32, 96, 0, 0)
    out += block(1, 1, padded(struct.pack("<IiQ", 77, -1, 0) + string("node") + string("./solver") + string("0.1.0")))
    out += block(2, 1, clock(0, 0))
    out += block(5, 1, padded(struct.pack("<II", 1, 77) + string("main")))
    out += block(3, sites, described)
    for i in range(0, len(records), 40000):
        part = records[i:i + 40000]
        out += block(7, len(part), b"".join(part))
    out += block(8, 1, clock(now, len(records)))
    with open(os.path.join(folder, "solver.trace"), "wb") as file:
        file.write(out)
    print(len(records), "events")


main()
