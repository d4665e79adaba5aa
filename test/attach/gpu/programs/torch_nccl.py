# The same weights in each step, beside collectives.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import torch
import torch.distributed as dist
twin = len(sys.argv) > 1
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511" if twin else "29510", RANK="0", WORLD_SIZE="1")
dist.init_process_group("nccl", device_id=torch.device("cuda:0"))
weights = torch.randn(1 << 20)
w = weights.cuda()
for step in range(20):
    if not twin:
        w = weights.cuda()  # EXPECT: reupload|noop-copy
    t = w * step
    dist.all_reduce(t)
print(float(t.sum()))
dist.destroy_process_group()
