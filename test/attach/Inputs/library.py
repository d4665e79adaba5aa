# A library allocates and copies; the lines are the user's.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))

if len(sys.argv) > 1:
    sites = json.load(open(sys.argv[1]))["sites"]
    told = sorted((s["callee"], s["variable"], s["function"], s["line"]) for s in sites if s["callee"].startswith("cu"))
    source = open(__file__).read().splitlines()
    line = next(i for i, text in enumerate(source, 1) if text.endswith("# HERE"))
    expected = [(f"{name} via cupy.asarray", "x_gpu[0]", "main", line) for name in ("cuEventCreate", "cuMemAlloc", "cuMemcpyHtoD")]
    sys.exit(0 if told == expected else f"{told}, not {expected}")

import cupy as cp
import driver


def main():
    x_gpu = [None]
    x_gpu[0] = cp.asarray(4096)  # HERE


main()
