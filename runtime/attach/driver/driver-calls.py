#!/usr/bin/env python3
# Writes DriverCalls.def: CUPTI's numbers of driver functions and where their parameters lie.
# SPDX-License-Identifier: Apache-2.0
"""driver-calls.py CUDA_ROOT > DriverCalls.def

Every function of the driver API that plugin/api/CudaApi.def has a row for, in each of its versions, and the one that
HandedOver.h listens to. CUPTI never renumbers, so the table of one toolkit serves all; functions that are newer are not
watched until it is written anew.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(sys.argv[1])
include = root / "include"
table = Path(__file__).resolve().parents[3] / "plugin" / "api" / "CudaApi.def"

rows = set(re.findall(r"^CUDA_API(?:_N)?\((cu[A-Z]\w*)", table.read_text(), re.M))
rows -= {name for name in rows if re.match(r"cu(blas|fft|rand|sparse|solver|dnn|tensor)", name)}
rows.add("cuPointerGetAttributes")
numbers = dict(re.findall(r"CUPTI_DRIVER_TRACE_CBID_(cu\w+)\s*=\s*(\d+)", (include / "cupti_driver_cbid.h").read_text()))
meta = re.sub(r"/\*.*?\*/", "", (include / "generated_cuda_meta.h").read_text(), flags=re.S)
structs = {}
for fields, name in re.findall(r"typedef struct \w+_params_st \{(.*?)\} (\w+)_params;", meta, re.S):
    structs[name] = [f.strip() for f in fields.split(";") if f.strip()]


def plain(name):
    return re.sub(r"_v\d+$", "", re.sub(r"_pt[ds][sz]$", "", name))


calls = []
for name, number in numbers.items():
    fields = structs.get(name, [])
    # Of CUDA before 3.2: 32-bit addresses. No program of 64 bits calls them.
    if plain(name) in rows and not any("_v1" in field for field in fields):
        calls.append((plain(name), name, int(number), [re.search(r"(\w+)(\[\w*\])?$", f)[1] for f in fields]))
calls.sort(key=lambda call: call[2])

with tempfile.TemporaryDirectory() as folder:
    source = Path(folder) / "sizes.cpp"
    body = ""
    for _, name, _, fields in calls:
        where = "".join(f'std::printf(" %zu:%zu", offsetof({name}_params, {f}), sizeof({name}_params::{f}));' for f in fields)
        body += f'std::printf("{name}");{where}std::printf("\\n");\n'
    types = "".join("struct %s_params { %s };\n" % (name, "".join(f + ";" for f in structs.get(name, []))) for _, name, _, _ in calls)
    source.write_text("#include <cuda.h>\n#include <cstdio>\n#include <cstddef>\n" + types + "int main() {\n" + body + "}\n")
    subprocess.run(["g++", "-w", f"-I{include}", source, "-o", f"{folder}/sizes"], check=True)
    lines = subprocess.run([f"{folder}/sizes"], capture_output=True, text=True, check=True).stdout.splitlines()

print("""// CUPTI's numbers of driver functions and where their parameters lie. Written by driver-calls.py.
// SPDX-License-Identifier: Apache-2.0
//
// DRIVER_CALL(row, name, number, parameters)
//   row         of plugin/api/CudaApi.def; a question to which nothing is charged has none there
//   name        with its version, as CUPTI calls it
//   number      CUPTI_DRIVER_TRACE_CBID_<name>
//   parameters  P(offset, bytes) of each, in <name>_params; no comma between them""")
for (row, name, number, _), line in zip(calls, lines):
    where = " ".join("P(%s, %s)" % tuple(p.split(":")) for p in line.split()[1:])
    print(f"DRIVER_CALL({row}, {name}, {number}, {where})")
print("#undef DRIVER_CALL")
