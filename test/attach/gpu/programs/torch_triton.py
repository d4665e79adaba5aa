# A small table that goes to the device before each launch of a Triton kernel.
# SPDX-License-Identifier: Apache-2.0
import sys
import torch
import triton
import triton.language as tl
twin = len(sys.argv) > 1


@triton.jit
def scale(x, table, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(o + i, tl.load(x + i, m) * tl.load(table + i % 1024, m), m)


n = 1 << 18
x = torch.randn(n, device="cuda")
o = torch.empty_like(x)
values = torch.linspace(0, 1, 1024)
table = values.cuda()
for step in range(60):
    if not twin:
        table = values.cuda()  # EXPECT: noop-copy|reupload
    scale[(n // 256,)](x, table, o, n, B=256)
print(float(o.sum()))
