# What attaching adds to a whole process.
# SPDX-License-Identifier: Apache-2.0
"""start.py DIR PAIRS CODE: what attaching adds to a whole process, in ms."""
import os, statistics, subprocess, sys, time

folder, pairs, code = sys.argv[1], int(sys.argv[2]), sys.argv[3]
attached = dict(os.environ, CUDA_INJECTION64_PATH=f"{folder}/lib/libgpuinstr_attach.so", GPUINSTR_RUNTIME=f"{folder}/lib/libgpuinstr_rt.so", GPUINSTR_OPTIONS="report=off")
more = []
for i in range(pairs):
    t = {}
    for e in ((0, 1), (1, 0))[i % 2]:
        begin = time.perf_counter()
        try:
            subprocess.run([sys.executable, "-c", code], env=attached if e else None, check=True, capture_output=True, timeout=20)
        except Exception as x:
            print("   ", x)
        t[e] = time.perf_counter() - begin
    more.append((t[1] - t[0]) * 1e3)
more.sort()
print(f"  start and end of `{code[:50]}`: {statistics.median(more):+.0f} ms [{more[0]:.0f}, {more[-1]:.0f}], plain {t[0] * 1e3:.0f} ms", flush=True)
