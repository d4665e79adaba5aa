# The same weights in each step.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import sys
import torch
twin = len(sys.argv) > 1
weights = torch.arange(1 << 18, dtype=torch.float32)
x = torch.ones(1 << 18, device="cuda")
for step in range(12):
    if not twin or step == 0:
        w = weights.to("cuda")  # EXPECT: reupload
    x = x * 0.5 + w
print(float(x.sum()))
