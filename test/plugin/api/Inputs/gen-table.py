# Writes C++ that checks each row of CudaApi.def against CUDA's headers, by types alone.
# SPDX-License-Identifier: Apache-2.0
#
# For each operand: the parameter exists and its type fits the slot. Rows whose function these
# headers do not have (older or newer CUDA, templates) are listed by the caller as exceptions.
import re
import sys

table, headers, gone = sys.argv[1], sys.argv[2].split(","), set(sys.argv[3].split(","))
text = "".join(open(h).read() for h in headers)
text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
declared = set(re.findall(r"\b((?:__)?cu\w+)\s*\(", text))
rows = re.findall(r"^CUDA_API(_N)?\((\w+), (?:(\d+), )?(\w+), \w+, ([^,]+), \d+, (.*)\)$",
                  open(table).read(), flags=re.M)
print('#include "check-table.h"')
checked, missing, names = 0, [], {}
for numbered, name, count, op, flags, operands in rows:
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
print(f"// {checked} rows")
unexpected = sorted(set(missing) - gone)
if unexpected:
    sys.exit("rows without a function in the headers: " + " ".join(unexpected))
if checked < 300:
    sys.exit(f"only {checked} rows checked")
