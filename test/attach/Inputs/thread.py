# Calls a library that works on a thread of its own.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import json
import sys

if sys.argv[1].endswith(".json"):
    sites = json.load(open(sys.argv[1]))["sites"]
    told = {s["callee"]: (s["function"], s["file"], s["calls"]) for s in sites if s["function"].startswith("a thread")}
    expected = {name: ("a thread without a Python frame", "thread.so", 1) for name in ("cuEventCreate", "cuStreamCreate", "cuMemcpyHtoD", "cuMemcpyDtoH")}
    sys.exit(0 if told == expected else f"{told}, not {expected}")

from driver import context, cu

memory = ctypes.c_uint64()
cu.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096))
assert ctypes.CDLL(sys.argv[1]).run(context, memory) == 0
cu.cuMemFree_v2(memory)
