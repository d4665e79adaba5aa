# Writes C++ that checks each row of CudaApi.def, or VendorApi.def, against CUDA's headers, by types alone.
# SPDX-License-Identifier: Apache-2.0
#
# For each operand: the parameter exists and its type fits the slot. Rows whose function these
# headers do not have (older or newer CUDA, templates) are listed by the caller as exceptions. Vendor
# libraries' rows are checked in a file of their own, with a fourth argument, as far as their headers
# lie beside CUDA's: those declare CUDA's functions as overloads.
import os
import re
import sys

VENDOR_HEADERS = ("cublas_v2.h", "cublas_api.h", "cublasLt.h", "cublasXt.h", "cufft.h", "curand.h", "cusparse.h",
                  "cusolverDn.h", "cusolverSp.h", "cusolverRf.h", "cusolverMg.h", "cudnn.h", "cudnn_graph.h",
                  "nccl.h")


def functions(paths, prefix):
    text = "".join(open(h).read() for h in paths)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(rf"\b({prefix}\w+)\s*\(", text))


only_vendors = len(sys.argv) > 4
table, headers, gone = sys.argv[1], sys.argv[2].split(","), set(sys.argv[3].split(","))
declared = functions(headers, "(?:__)?cu")
beside = [os.path.join(os.path.dirname(headers[0]), h) for h in VENDOR_HEADERS]
vendors = [h for h in beside if os.path.exists(h)]
offered = functions(vendors, "(?:cu|nccl)")
rows = re.findall(r"^CUDA_API(_N)?\((\w+), (?:(\d+), )?(\w+), \w+, ([^,]+), \d+, (.*)\)$",
                  open(table).read(), flags=re.M)
for header in vendors if only_vendors else []:
    print(f"#include <{os.path.basename(header)}>")
print('#include "check-table.h"')
checked, missing, names = 0, [], {}
for numbered, name, count, op, flags, operands in rows:
    if only_vendors != (op == "LIBRARY"):
        continue
    if only_vendors:
        if name not in offered and name + "_v2" not in offered:
            continue
        print(f"STATUS_ROW({name})")
        for slot, n in re.findall(r"(\w+)\((\d+)\)", operands):
            print(f"OPERAND({name}, -1, {'HANDLE' if slot == 'DST' else slot}, {n})")
        continue
    if name not in declared:
        missing.append(name)
        continue
    names.setdefault(name, []).append(count)
    result = "CUresult" if re.search(r"\bU\b", flags) else "cudaError_t"
    print(f"ROW({name}, {count or -1}, {result})")
    for slot, n in re.findall(r"(\w+)\((\d+)\)", operands):
        print(f"OPERAND({name}, {count or -1}, {slot}, {n})")
    checked += 1
for name, counts in names.items():
    if counts != [""]:
        print(f"ONE_OF({name}, {', '.join(c or '-1' for c in counts)})")
if only_vendors and not rows:
    sys.exit("no rows")
print(f"// {checked} rows")
unexpected = sorted(set(missing) - gone)
if unexpected:
    sys.exit("rows without a function in the headers: " + " ".join(unexpected))
if not only_vendors and checked < 300:
    sys.exit(f"only {checked} rows checked")
