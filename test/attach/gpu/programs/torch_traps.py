# Filling fresh pieces of the pool is no waste: silent.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import torch
total = 0
for step in range(20):
    z = torch.zeros(1 << 18, device="cuda")
    o = torch.ones(1 << 18, device="cuda")
    e = torch.empty(1 << 18, device="cuda")
    e.fill_(7)
    e2 = torch.empty(1 << 18, device="cuda")
    e2.zero_()
    z += o + e + e2
    total += float(z.sum())
print(total)
