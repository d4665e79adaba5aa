# Asynchronous uploads from pageable memory.
# SPDX-License-Identifier: Apache-2.0
import sys
import torch
twin = len(sys.argv) > 1
total = 0
for step in range(20):
    h = torch.arange(1 << 18, dtype=torch.float32) + step
    if twin:
        h = h.pin_memory()
    y = h.to("cuda", non_blocking=True)  # ADVICE: pageable-async
    total += float((y * 0.5).sum())
print(total)
