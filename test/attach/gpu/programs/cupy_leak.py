# An allocation beside the pool that nobody frees.
# SPDX-License-Identifier: Apache-2.0
import sys
import cupy as cp
twin = len(sys.argv) > 1
raw = cp.cuda.runtime.malloc(1 << 20)  # EXPECT: leak
a = cp.ndarray((1 << 18,), "f4", cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(raw, 1 << 20, None), 0))
a[...] = cp.arange(1 << 18, dtype="f4")
print(float(a.sum()))
if twin:
    cp.cuda.runtime.free(raw)
