# An attention mask that is built on the host and sent in each step; a wait behind a value that was waited for.
# SPDX-License-Identifier: Apache-2.0
import sys
import torch
twin = len(sys.argv) > 1
torch.manual_seed(0)
attention = torch.nn.MultiheadAttention(256, 4, batch_first=True).cuda().eval()
ones = torch.ones(512, 512)
kept = torch.triu(ones, 1).cuda()
total = 0.0
with torch.no_grad():
    for step in range(30):
        x = torch.randn(4, 512, 256, device="cuda")
        mask = kept if twin else torch.triu(ones, 1).to("cuda")  # EXPECT: reupload|noop-copy
        y, _ = attention(x, x, x, attn_mask=mask.bool(), need_weights=False)
        total += float(y.abs().mean())
        if not twin:
            torch.cuda.synchronize()  # ADVICE: needless-sync
print(total)
