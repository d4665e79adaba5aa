"""runtime-names.py API NAMES: RuntimeNames.def in folder API against a runtime's exported names, one a line.
What does no work is told as runtime/calls/sites/CudaFunctions.cpp does.
SPDX-License-Identifier: Apache-2.0
"""

import re
import sys

api, exported = sys.argv[1:]
text = {name: open(f"{api}/{name}.def", encoding="utf-8").read() for name in ("RuntimeNames", "CudaApi", "OtherApi")}
listed = re.findall(r"\bCUDART\((\w+)\)", re.sub(r"//.*", "", text["RuntimeNames"]))
rows = dict(re.findall(r"^CUDA_API(?:_N)?\((\w+), (?:\d+, )?(\w+)", text["CudaApi"], re.M))
asks = re.findall(r"^CUDA_ASKS\((\w+)\)", text["OtherApi"], re.M)
harmless = re.findall(r"^CUDA_HARMLESS\((\w+)\)", text["OtherApi"], re.M)


def is_work(name):
    if name.startswith("__cudaLaunch"):
        return True
    if not re.match(r"cuda[A-Z]", name):
        return False
    plain = re.sub(r"_v\d$", "", re.sub(r"_pt[ds][sz]$", "", name))
    if plain in rows:
        return rows[plain] not in ("SET_DEVICE", "PROFILER")
    rest = name[4:]
    return not any(word in rest for word in asks) and not rest.startswith(tuple(harmless))


names = {line.split("@")[0].strip() for line in open(exported, encoding="utf-8")}
faults = [f"twice: {name}" for name in sorted({n for n in listed if listed.count(n) > 1})]
faults += [f"missing: {name}" for name in sorted(names) if is_work(name) and name not in listed]
if not any(is_work(name) for name in names):
    faults.append(f"{exported} has no function of CUDA's")
print("\n".join(faults))
sys.exit(1 if faults else 0)
