# Profilers inside the program, phases, Triton: under attach nothing raises.
# SPDX-License-Identifier: Apache-2.0
import sys
what = sys.argv[1]
if what == "torch":
    import torch
    from torch.profiler import ProfilerActivity, profile
    m = torch.nn.Linear(256, 256).cuda()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
        for _ in range(5):
            m(torch.randn(64, 256, device="cuda")).sum().backward()
        torch.cuda.synchronize()
    rows = p.key_averages()
    print("torch.profiler did not raise,", len(rows), "rows,", sum(r.device_time_total > 0 for r in rows), "with device time")
elif what == "jax":
    import jax
    import jax.numpy as jnp
    with jax.profiler.trace("/tmp/jax-trace"):
        jnp.ones((256, 256)).dot(jnp.ones((256, 256))).block_until_ready()
    print("jax.profiler did not raise")
elif what == "cupy":
    import cupy as cp
    from cupyx.profiler import benchmark, time_range
    with time_range("a phase"):
        x = cp.ones(1024)
    with cp.cuda.profile():
        x += 1
    print("cupy profile did not raise", float(x.sum()))
else:
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def add(x, y, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        m = i < n
        tl.store(y + i, tl.load(x + i, mask=m) + 1, mask=m)

    x = torch.ones(1 << 16, device="cuda")
    y = torch.empty_like(x)
    for _ in range(10):
        add[(64,)](x, y, x.numel(), 1024)
    print("triton", float(y.sum()))
