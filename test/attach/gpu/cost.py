# Cost of attaching: one long-lived process a variant, windows of each in turns.
# SPDX-License-Identifier: Apache-2.0
"""Cost, in windows of both sides in turns.

cost.py worker WORKLOAD            reads counts on stdin, answers nanoseconds
cost.py table WORKLOAD ROUNDS MS DIR RECORDER CUPTI SECONDS [VARIANT,...]
                                   one long-lived process per variant
cost.py pairs ...                  the same arguments; each variant a process that turns its callbacks off and on, so that
                                   nothing else differs
"""
import ctypes
import os
import statistics
import subprocess
import sys
import threading
import time


def cupy_loop(size):
    import cupy as cp

    x = cp.ones(size, dtype=cp.float32)
    y = cp.ones(size, dtype=cp.float32)

    def step(n):
        nonlocal x
        for _ in range(n):
            x = x * 0.5 + y
            x += 1.0

    return step, lambda: cp.cuda.Device().synchronize()


def cupy_launch():
    import cupy as cp

    k = cp.RawKernel('extern "C" __global__ void k(float *a, float *b, int n) { }', "k")
    x = cp.ones(1 << 14, dtype=cp.float32)

    def step(n):
        for _ in range(n):
            k((64,), (256,), (x, x, 5))

    return step, lambda: cp.cuda.Device().synchronize()


def torch_step(d, layers, batch, length):
    import torch

    torch.manual_seed(1)
    torch.set_num_threads(2)
    block = torch.nn.TransformerEncoderLayer(d, max(1, d // 64), 4 * d, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(block, layers, enable_nested_tensor=False).cuda()
    head = torch.nn.Linear(d, 10).cuda()
    parameters = [*model.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-4)
    batches = [(torch.randn(batch, length, d).pin_memory(), torch.randint(0, 10, (batch,)).pin_memory()) for _ in range(8)]
    torch.backends.cuda.matmul.allow_tf32 = True
    state = {"i": 0}

    def step(n):
        for _ in range(n):
            state["i"] += 1
            x, y = batches[state["i"] % 8]
            x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(head(model(x).mean(1)), y)
            loss.backward()
            optimizer.step()
            if state["i"] % 10 == 0:
                loss.item()

    return step, torch.cuda.synchronize


def jax_step():
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    import jax.numpy as jnp

    key = jax.random.key(0)
    w = [jax.random.normal(key, (512, 512)) * 0.05 for _ in range(6)]

    def loss(w, x, y):
        for m in w:
            x = jnp.tanh(x @ m)
        return ((x - y) ** 2).mean()

    @jax.jit
    def update(w, x, y):
        g = jax.grad(loss)(w, x, y)
        return [a - 0.01 * b for a, b in zip(w, g)]

    x, y = jax.random.normal(key, (256, 512)), jax.random.normal(key, (256, 512))

    def step(n):
        nonlocal w
        for _ in range(n):
            w = update(w, x, y)

    return step, lambda: w[0].block_until_ready()


def ctypes_query():
    """Only here to try this script on the simulated device."""
    import ctypes

    cu = ctypes.CDLL("libcuda.so.1")
    d, c, a = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    cu.cuInit(0), cu.cuDeviceGet(ctypes.byref(d), 0), cu.cuDevicePrimaryCtxRetain(ctypes.byref(c), d), cu.cuCtxSetCurrent(c)
    cu.cuMemAlloc_v2(ctypes.byref(a), ctypes.c_size_t(4096))

    def step(n):
        for _ in range(n):
            cu.cuMemsetD8_v2(a, 1, ctypes.c_size_t(64))

    return step, lambda: cu.cuCtxSynchronize()


WORKLOADS = {
    "cupy": lambda: cupy_loop(1 << 14),  # bound by the host, the next by the GPU
    "cupy-large": lambda: cupy_loop(1 << 24),
    "cupy-launch": cupy_launch,
    "torch-small": lambda: torch_step(128, 2, 16, 32),
    "torch": lambda: torch_step(768, 6, 16, 256),  # bound by the host, the next by the GPU
    "torch-large": lambda: torch_step(1024, 8, 64, 256),
    "jax": jax_step,
    "ctypes": ctypes_query,
}


def worker(name):
    step, wait = WORKLOADS[name]()
    step(20)
    wait()
    print("ready", flush=True)
    for line in sys.stdin:
        n = int(line)
        begin = time.perf_counter_ns()
        step(n)
        wait()
        print(time.perf_counter_ns() - begin, flush=True)


def watch(folder, recorder, on):
    """Of whichever of the two libraries the driver has loaded."""
    for library in (f"{folder}/lib/libgpuinstr_attach.so", recorder):
        try:
            return ctypes.CDLL(library, mode=os.RTLD_NOLOAD | os.RTLD_LAZY).gpuinstr_attach_watch(on)
        except OSError:
            pass
    return 0


def pairs_worker(name, rounds, ms, folder, recorder, seconds):
    """Windows of one process, its callbacks off and on in turns."""
    end = time.monotonic() + seconds
    step, wait = WORKLOADS[name]()
    step(20)
    wait()
    assert watch(folder, recorder, 1), "nothing is attached"

    def window(on, n):
        watch(folder, recorder, on)
        begin = time.perf_counter_ns()
        step(n)
        wait()
        return (time.perf_counter_ns() - begin) / n

    n = 1
    for _ in range(4):
        n = max(1, int(ms * 1e6 / window(0, n)))
    warm = time.monotonic() + 2  # a thread's first calls are all looked at
    while time.monotonic() < warm:
        window(1, n)
    times = [], []
    for i in range(rounds):
        if time.monotonic() > end:
            break
        for on in (i & 1, 1 - (i & 1)):
            times[on].append(window(on, n))
    watch(folder, recorder, 1)
    m, low, high = interval([t / b for t, b in zip(times[1], times[0])])
    added = statistics.median(t - b for t, b in zip(times[1], times[0]))
    print(f"{m:.4f} [{low:.4f}, {high:.4f}], sums {sum(times[1]) / sum(times[0]):.4f}  {added / 1e3:+.3f} us of {statistics.median(times[0]) / 1e3:.2f} us a step, {len(times[0])} pairs of {n} steps", flush=True)


def pairs(workload, rounds, ms, folder, recorder, cupti, seconds, variants):
    for v in variants:
        command = [sys.executable, __file__, "pairs-worker", workload, str(rounds), str(ms), folder, recorder, str(seconds)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment(v, folder, recorder, cupti, workload), timeout=seconds + 60)
        print(f"  {workload}, {v} against itself: {done.stdout.strip()}", flush=True)
        if done.returncode != 0 or not done.stdout:
            sys.exit(1)


def before(variant, workload):
    """The command that the worker is started by."""
    if variant != "nsys":
        return []
    out = f"{os.environ.get('OUT', '/tmp')}/cost-{workload}"
    return ["nsys", "profile", "-t", "cuda", "-s", "none", "--cpuctxsw=none", "--force-overwrite=true", "-o", out]


def environment(variant, folder, recorder, cupti, workload):
    e = dict(os.environ)
    if variant.startswith("plain") or variant == "nsys":
        return e
    if variant == "callbacks":
        e.update(CUDA_INJECTION64_PATH=recorder, SEQUENCES_COUNT="1", SEQUENCES_CUPTI=cupti)
        return e
    options = {
        "attached": ":budget=1",  # of the time, of which half is the plain process's
        "no-audit": ":audit=off",
        "no-times": ":gpu_time=off",
        "neither": ":audit=off:gpu_time=off:telemetry=off",
    }[variant]
    e.update(
        CUDA_INJECTION64_PATH=f"{folder}/lib/libgpuinstr_attach.so",
        GPUINSTR_RUNTIME=f"{folder}/lib/libgpuinstr_rt.so",
        GPUINSTR_OPTIONS=f"report=off:json={os.environ.get('OUT', '/tmp')}/cost-{workload}-{variant}.json{options}",
    )
    return e


def interval(values):
    """Median and 95 % interval by order."""
    v, n = sorted(values), len(values)
    k = max(0, int(n / 2 - 0.98 * n**0.5))
    return statistics.median(v), v[k], v[n - 1 - k]


def table(workload, rounds, ms, folder, recorder, cupti, seconds, variants):
    end = time.monotonic() + seconds
    processes, started = {}, {}
    for v in variants:
        err = open(f"{os.environ.get('OUT', '/tmp')}/cost-{workload}-{v}.err", "w")
        processes[v] = subprocess.Popen([*before(v, workload), sys.executable, __file__, "worker", workload], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, text=True, env=environment(v, folder, recorder, cupti, workload))
    watchdog = threading.Timer(seconds + 15, lambda: [p.kill() for p in processes.values()])
    watchdog.daemon = True
    watchdog.start()
    for v, p in list(processes.items()):
        if p.stdout.readline().strip() != "ready":
            print(f"  {workload} {v}: does not start")
            del processes[v]

    def window(v, n):
        processes[v].stdin.write(f"{n}\n")
        processes[v].stdin.flush()
        return int(processes[v].stdout.readline()) / n

    n, one = 1, 0
    for _ in range(4):
        one = window("plain", n)
        n = max(1, int(ms * 1e6 / one))
    for v in processes:
        window(v, n), window(v, n)
    times, order = {v: [] for v in processes}, list(processes)
    for i in range(rounds):
        if time.monotonic() > end:
            break
        for v in order[i % len(order):] + order[: i % len(order)]:
            times[v].append(window(v, n))
    base = times["plain"]
    if not base:
        sys.exit(f"{workload}: no round within {seconds} s")
    print(f"  {workload}: a step {statistics.median(base) / 1e3:.2f} us, {len(base)} rounds of {n} steps")
    for v in order[1:]:
        m, low, high = interval([t / b for t, b in zip(times[v], base)])
        d = statistics.median(t - b for t, b in zip(times[v], base))
        print(f"    {v:10} {m:.4f} [{low:.4f}, {high:.4f}]  {d / 1e3:+.3f} us a step", flush=True)
    for p in processes.values():
        p.stdin.close()
    for p in processes.values():
        try:
            p.wait(8)
        except subprocess.TimeoutExpired:
            p.kill()
            print("    one did not end")
    watchdog.cancel()


if sys.argv[1] == "worker":
    worker(sys.argv[2])
elif sys.argv[1] == "pairs-worker":
    pairs_worker(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), *sys.argv[5:7], float(sys.argv[7]))
elif sys.argv[1] == "pairs":
    variants = (sys.argv[9] if len(sys.argv) > 9 else "attached,callbacks").split(",")
    pairs(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), *sys.argv[5:8], float(sys.argv[8]), variants)
else:
    variants = (sys.argv[9] if len(sys.argv) > 9 else "plain,attached").replace("again", "plain-again").split(",")
    table(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), *sys.argv[5:8], float(sys.argv[8]), variants)
