# A program of 1000 lines with a call each, and whether each call stands at its line.
# SPDX-License-Identifier: Apache-2.0
"""lines.py make FILE ctypes|cupy : a program of 1000 distinct lines; lines.py check PROFILE FILE CALLEE."""
import json, sys

if sys.argv[1] == "make":
    what = sys.argv[3]
    head = {
        "cupy": "import threading\nimport cupy as cp\n",
        "ctypes": "import ctypes\nimport threading\ncu = ctypes.CDLL('libcuda.so.1')\nd, c, a = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()\ncu.cuInit(0)\ncu.cuDeviceGet(ctypes.byref(d), 0)\ncu.cuDevicePrimaryCtxRetain(ctypes.byref(c), d)\ncu.cuCtxSetCurrent(c)\ncu.cuMemAlloc_v2(ctypes.byref(a), ctypes.c_size_t(4096))\n",
    }[what]
    first = {"cupy": "    x = cp.ones(1024, dtype=cp.float32)\n", "ctypes": "    cu.cuCtxSetCurrent(c)\n    n = ctypes.c_size_t(64)\n"}[what]
    line = {"cupy": "    x += 1.0  # LINE\n", "ctypes": "    cu.cuMemsetD8_v2(a, 1, n)  # LINE\n"}[what]
    body = "".join(f"def f{i}():\n{first}{line * 250}" for i in range(4))
    tail = "threads = [threading.Thread(target=f) for f in (f0, f1, f2, f3)]\nfor t in threads:\n    t.start()\nfor t in threads:\n    t.join()\n"
    open(sys.argv[2], "w").write(head + body + tail)
else:
    source, callee = open(sys.argv[3]).read().splitlines(), sys.argv[4]
    want = {i for i, t in enumerate(source, 1) if t.endswith("# LINE")}
    calls, elsewhere = {}, 0
    for s in json.load(open(sys.argv[2]))["sites"]:
        if s["calls"] and s["callee"].startswith(callee):
            if s["file"].endswith(sys.argv[3].rsplit("/", 1)[-1]):
                calls[s["line"]] = calls.get(s["line"], 0) + s["calls"]
            else:
                elsewhere += s["calls"]
    right = sum(calls.get(i) == 1 for i in want)
    print(f"  {'PASS' if right == len(want) else 'FAIL'} lines of {sys.argv[3].rsplit('/', 1)[-1]}: {right} of {len(want)} lines have their one {callee}; at other lines {sum(n for i, n in calls.items() if i not in want)}, elsewhere {elsewhere}", flush=True)
