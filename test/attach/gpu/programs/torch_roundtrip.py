# What .cpu() brought goes back.
# SPDX-License-Identifier: Apache-2.0
import sys
import torch
twin = len(sys.argv) > 1
x = torch.arange(1 << 18, dtype=torch.float32, device="cuda")
for step in range(12):
    x = x * 1.5 + step
    h = x.cpu()
    if twin:
        h = h + 1
    y = h.to("cuda")  # EXPECT: roundtrip
    x = y * 0.5
print(float(x.sum()))
