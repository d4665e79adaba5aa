"""Reads what gpuinstr trace wrote of trace.cu with the formats' own readers, and checks the rows."""
# SPDX-License-Identifier: Apache-2.0
import collections
import csv
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys

# Calls of trace.cu: a worker with 5 launches, then main with 10, each with the calls around them.
CALLS = {"cudaStreamCreate": 2, "cudaMalloc": 4, "cudaMemsetAsync": 2, "cudaMemcpyAsync": 2,
         "cudaLaunchKernel": 15, "cudaStreamSynchronize": 2, "cudaMemcpy": 3, "cudaFree": 4,
         "cudaStreamDestroy": 2, "cudaDeviceSynchronize": 1}
BYTES = 65536


def same(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, wanted {wanted!r}")


def check_json(path):
    trace = json.load(open(path))
    same("schema", trace["schemaVersion"], 1)
    events = trace["traceEvents"]
    complete = [e for e in events if e["ph"] == "X"]
    names = collections.Counter(e["name"] for e in complete if e["cat"] == "cuda_runtime")
    same("calls", dict(names), CALLS)
    kernels = [e for e in complete if e["cat"] == "kernel"]
    same("kernels", {e["name"] for e in kernels}, {"saxpy"})
    same("grids", {tuple(e["args"]["grid"] + e["args"]["block"]) for e in kernels}, {(64, 1, 1, 256, 1, 1)})
    copies = {e["name"] for e in complete if e["cat"] == "gpu_memcpy"}
    same("copies", copies, {"Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pageable)"})
    same("sets", {e["name"] for e in complete if e["cat"] == "gpu_memset"}, {"Memset (Device)"})
    same("devices", {e["pid"] for e in kernels}, {0})
    same("ranges", sum(e["cat"] == "user_annotation" and e["name"] == "launches" for e in complete), 2)
    # Every arrow starts in a call and ends at the start of the device work with its number.
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    same("arrows", set(starts), set(ends))
    same("arrows' name", {e["name"] for e in [*starts.values(), *ends.values()]}, {"ac2g"})
    work = [e for e in complete if e["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")]
    same("arrows to all work", {e["args"]["correlation"] for e in work}, set(ends))
    for event in work:
        end = ends[event["args"]["correlation"]]
        same("arrow's end", (end["pid"], end["tid"], end["ts"], end["bp"]),
             (event["pid"], event["tid"], event["ts"], "e"))
    call = {e["args"].get("correlation"): e for e in complete if e["cat"] == "cuda_runtime"}
    for event in kernels:
        same("launched by", call[event["args"]["correlation"]]["args"]["kernel"], "saxpy")
        same("line", event["args"]["source"], call[event["args"]["correlation"]]["args"]["source"])
    threads = {e["tid"] for e in complete if e["cat"] == "cuda_runtime"}
    same("threads", len(threads), 2)
    named = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    same("threads with names", threads <= named, True)
    failed = [e for e in complete if e["args"].get("result")]
    same("failed", [e["name"] for e in failed], ["cudaMemcpy"])


def check_sqlite(path):
    db = sqlite3.connect(path)

    def ask(sql):
        return db.execute(sql).fetchall()
    same("integrity", ask("PRAGMA integrity_check"), [("ok",)])
    # nsys stats' cuda_api_sum, in short.
    same("calls", dict(ask("SELECT value, count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME"
                           " JOIN StringIds ON id = nameId GROUP BY value")), CALLS)
    # The queries of Nsight Systems' manual ("Common SQLite Examples"); docs/Formats.md has them as well.
    # 1. Correlate CUDA kernel launches with CUDA API kernel launches.
    db.executescript("""
        ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN name TEXT;
        ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN kernelName TEXT;
        UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET kernelName =
            (SELECT value FROM StringIds
            JOIN CUPTI_ACTIVITY_KIND_KERNEL AS cuda_gpu
                ON cuda_gpu.shortName = StringIds.id
                AND CUPTI_ACTIVITY_KIND_RUNTIME.correlationId = cuda_gpu.correlationId);
        UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET name =
            (SELECT value FROM StringIds WHERE nameId = StringIds.id);""")
    rows = ask("SELECT name, kernelName, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME"
               " WHERE kernelName IS NOT NULL ORDER BY end - start DESC")
    kernels = ask("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")[0][0]
    same("launches with a kernel", {r[:2] for r in rows}, {("cudaLaunchKernel", "saxpy")})
    same("as many as kernels", len(rows), kernels)
    same("at least one", kernels > 0, True)
    # 2. Serialised process and thread identifiers.
    tids = ask("SELECT DISTINCT globalTid / 0x1000000 % 0x1000000 AS PID, globalTid % 0x1000000 AS TID"
               " FROM CUPTI_ACTIVITY_KIND_RUNTIME")
    same("threads", (len(tids), len({pid for pid, _ in tids})), (2, 1))
    same("the process", {pid for pid, _ in tids}, {pid for pid, in ask("SELECT pid FROM PROCESSES")})
    same("main has the pid", {tid for _, tid in tids} >= {pid for pid, _ in tids}, True)
    # 3. Memory operations with labels from the ENUM tables (nsys stats' cuda_gpu_mem_size_sum).
    same("copies", sorted(ask(
        "SELECT oper.label, src.label, dst.label, count(*), sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY AS m"
        " JOIN ENUM_CUDA_MEMCPY_OPER AS oper ON oper.id = m.copyKind"
        " JOIN ENUM_CUDA_MEM_KIND AS src ON src.id = m.srcKind"
        " JOIN ENUM_CUDA_MEM_KIND AS dst ON dst.id = m.dstKind GROUP BY 1, 2, 3")),
         [("Device-to-Host", "Device", "Pageable", 2, 2 * BYTES),
          ("Host-to-Device", "Pageable", "Device", 2, 2 * BYTES)])
    # 4. Rename CUDA kernels with NVTX: kernels in the innermost user range around their launch.
    rows = ask("""
        SELECT DISTINCT nvtx.text, name.value FROM NVTX_EVENTS AS nvtx
        JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS api ON api.globalTid = nvtx.globalTid
            AND api.start >= nvtx.start AND api.end <= nvtx.end
        JOIN CUPTI_ACTIVITY_KIND_KERNEL AS kernel ON kernel.correlationId = api.correlationId
        JOIN StringIds AS name ON name.id = kernel.demangledName
        WHERE nvtx.eventType = 59 AND nvtx.text IS NOT NULL""")
    same("ranges", rows, [("launches", "saxpy")])
    same("sets", ask("SELECT value, bytes, count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET GROUP BY 1, 2"),
         [(0, BYTES, 2)])
    same("devices", ask("SELECT id, name, cuDevice FROM TARGET_INFO_GPU"), [(0, "gpuinstr simulator", 0)])
    same("lines", {line for line, in ask(
        "SELECT DISTINCT line FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN GPUINSTR_SITES USING (siteId)")},
         {line("saxpy<<<")})
    same("syncs", ask("SELECT label, count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS s"
                      " JOIN ENUM_CUPTI_SYNC_TYPE AS e ON e.id = s.syncType GROUP BY label"),
         [("Context Synchronize", 1), ("Stream Synchronize", 2)])
    same("order", ask("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE end < start OR start < 0"), [(0,)])


def line(text):
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "trace.cu")
    return next(i for i, row in enumerate(open(source), 1) if text in row)


def rows_of(path):
    return list(csv.DictReader(open(path)))


def count(rows):
    return dict(collections.Counter(r["name"] for r in rows if r["kind"] == "call"))


def check_rows(rows):
    same("calls", count(rows), CALLS)
    launches = [r for r in rows if r["name"] == "cudaLaunchKernel"]
    same("launches", {(r["kernel"], r["grid"], r["block"], r["line"], r["function"]) for r in launches},
         {("saxpy", "64x1x1", "256x1x1", str(line("saxpy<<<")), "work")})
    alloc = [r for r in rows if r["name"] == "cudaMalloc"]
    same("allocated", {(r["variable"], r["bytes"]) for r in alloc}, {("d_x", "65536"), ("d_y", "65536")})
    same("ranges", [r["name"] for r in rows if r["kind"] == "range"], ["launches"] * 2)
    for thread in {r["tid"] for r in launches}:
        mine = [r for r in launches if r["tid"] == thread]
        starts = [int(r["start_ns"]) for r in mine]
        same("in order", starts, sorted(starts))
        around = next(r for r in rows if r["kind"] == "range" and r["tid"] == thread)
        begin = int(around["start_ns"])
        same("in the range", begin <= starts[0] and
             int(mine[-1]["start_ns"]) + int(mine[-1]["duration_ns"]) <= begin + int(around["duration_ns"]), True)


def check_ranks(path):
    rows = rows_of(path)
    for rank in ("0", "1"):
        check_rows([r for r in rows if r["rank"] == rank])
    same("processes", len({r["pid"] for r in rows}), 2)


def check_forked(path):
    rows = rows_of(path)
    launches = collections.Counter(r["pid"] for r in rows if r["name"] == "cudaLaunchKernel")
    same("launches", sorted(launches.values()), [3, 15])


def check_only(path):
    rows = rows_of(path)
    same("sites of main", count(rows), {"cudaMemcpy": 1, "cudaDeviceSynchronize": 1})


def check_perfetto(path):
    """Decoded by protoc with our schema; fields that it lacks would show as numbers."""
    if not shutil.which("protoc"):
        sys.exit("protoc is missing")
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tools/cli/trace/proto")
    text = subprocess.run(["protoc", "--decode=gpuinstr.perfetto.Trace", f"-I{folder}",
                           "perfetto_trace.proto"], stdin=open(path, "rb"), check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    lines = [row.strip() for row in text.splitlines()]
    same("unknown fields", [row for row in lines if row[:1].isdigit()], [])
    kinds = collections.Counter(row for row in lines if row.startswith("type: "))
    same("begins and ends", kinds["type: TYPE_SLICE_BEGIN"], kinds["type: TYPE_SLICE_END"])
    same("counter: allocations and frees", kinds["type: TYPE_COUNTER"], 8)
    for wanted in ('thread_name: "app"', 'name: "GPU 0: gpuinstr simulator"', 'name: "stream 13"',
                   'name: "device memory allocated"', 'str: "saxpy"', 'str: "launches"',
                   f'line_number: {line("saxpy<<<")}', 'str: "GB/s"', 'str: "d_x"'):
        same(wanted, wanted in lines, True)
    starts = sorted(row.split()[1] for row in lines if row.startswith("flow_ids: "))
    ends = sorted(row.split()[1] for row in lines if row.startswith("terminating_flow_ids: "))
    same("arrows", starts, ends)
    same("some arrows", len(starts) > 4, True)


def check_parquet(path):
    """The frame of the format; tools/cli/test/trace/TraceTest.cpp reads the columns."""
    data = open(path, "rb").read()
    same("magic", (data[:4], data[-4:]), (b"PAR1", b"PAR1"))
    same("footer", 0 < struct.unpack("<I", data[-8:-4])[0] < len(data) - 12, True)


if __name__ == "__main__":
    kind, file = sys.argv[1:]
    if kind == "csv":
        check_rows(rows_of(file))
    else:
        {"json": check_json, "sqlite": check_sqlite, "ranks": check_ranks, "forked": check_forked,
         "only": check_only, "perfetto": check_perfetto, "parquet": check_parquet}[kind](file)
