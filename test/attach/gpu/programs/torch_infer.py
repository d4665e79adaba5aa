# Inference: a constant that goes to the device with each request, and a result that comes back to it.
# SPDX-License-Identifier: Apache-2.0
import sys
import torch
twin = len(sys.argv) > 1
torch.manual_seed(0)
net = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(6)]).cuda().eval()
positions = torch.randn(64, 1024)
kept = positions.cuda()
total = 0
with torch.no_grad():
    for request in range(100):
        x = torch.randn(64, 1024).cuda()
        p = kept if twin else positions.to("cuda")  # EXPECT: reupload|noop-copy
        y = net(x + p)
        if not twin:
            y = y.cpu()
            y = y.cuda()  # EXPECT: roundtrip
        total += int(y.topk(5).indices[0, 0])
print(total)
