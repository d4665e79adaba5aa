# Filling fresh pieces of the pool is no waste: silent.
# SPDX-License-Identifier: Apache-2.0
import cupy as cp
total = 0
for step in range(20):
    z = cp.zeros(1 << 18, dtype=cp.float32)
    o = cp.ones(1 << 18, dtype=cp.float32)
    f = cp.full(1 << 18, 3, dtype=cp.float32)
    e = cp.empty(1 << 18, dtype=cp.float32)
    e.fill(7)
    e2 = cp.empty_like(z)
    e2.fill(0)
    z += o * f + e + e2
    total += float(z.sum())
print(total)
