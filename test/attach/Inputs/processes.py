# A process that starts others and has no CUDA itself: by spawn, by fork, and as torchrun does. Each allocates
# memory of its own size and never uses it. Forked ones end by os._exit. With a folder of profiles: compares them with that.
# SPDX-License-Identifier: Apache-2.0
import glob
import json
import os
import subprocess
import sys


def work(rank):
    import ctypes

    from driver import cu

    memory = ctypes.c_uint64()
    cu.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096 * (rank + 1)))  # UNUSED


def check(folder):
    profiles = [json.load(open(path)) for path in glob.glob(os.path.join(folder, "*.json"))]
    line = next(i for i, text in enumerate(open(__file__), 1) if text.rstrip().endswith("# UNUSED"))
    told = []
    for profile in profiles:
        sites = {site["id"]: site for site in profile["sites"]}
        found = [f for f in profile["findings"] if f["pattern"] == "unused-allocation"]
        told += [(f["bytes"], sites[f["site"]]["line"], sites[f["site"]]["file"] == __file__) for f in found]
    expected = [(4096 * (rank + 1), line, True) for rank in range(6)]
    sys.exit(0 if sorted(told) == expected else f"{sorted(told)}, not {expected}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        check(sys.argv[1])
    if "LOCAL_RANK" in os.environ:
        sys.exit(work(int(os.environ["LOCAL_RANK"])))
    import multiprocessing

    for method, first in (("spawn", 0), ("fork", 2)):
        context = multiprocessing.get_context(method)
        some = [context.Process(target=work, args=(rank,)) for rank in (first, first + 1)]
        for process in some:
            process.start()
        for process in some:
            process.join()
            assert process.exitcode == 0, process.exitcode
    workers = [subprocess.Popen([sys.executable, __file__], env={**os.environ, "LOCAL_RANK": str(rank)}) for rank in (4, 5)]
    assert [worker.wait() for worker in workers] == [0, 0]
