# Calls of sub-interpreters, each on its thread and one after the other, and of the main one in between.
# SPDX-License-Identifier: Apache-2.0
"""interpreters.py, or interpreters.py PROFILE: whether every line has its calls."""
import json
import os
import sys
import threading

THREADS, ROUNDS, CALLS = 3, 4, 10
HERE = os.path.dirname(os.path.abspath(__file__))
CODE = f"""
import ctypes
def inner(query):
    query(None)
cu = ctypes.CDLL("libcuda.so.1")
cu.cuCtxSetCurrent(ctypes.c_void_p(CONTEXT))
for _ in range({CALLS}):
    inner(cu.cuStreamQuery)
"""
INNER = 4


def functions():
    """To make one that shares the lock, which ctypes needs before 3.13, to run code in it, and to end it."""
    if sys.version_info >= (3, 13):
        import _interpreters as low

        return low.create, low.exec, low.destroy
    import _xxsubinterpreters as low

    return lambda: low.create(isolated=False), low.run_string, low.destroy


def run():
    from driver import context, cu

    create, execute, destroy = functions()
    code = CODE.replace("CONTEXT", str(context.value))

    def work():
        cu.cuCtxSetCurrent(context)
        for _ in range(ROUNDS):
            one = create()
            failed = execute(one, code)
            assert not failed, failed
            destroy(one)
            cu.cuStreamQuery(None)  #= main

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("done")


def check(profile):
    calls = {}
    for site in json.load(open(profile))["sites"]:
        if site["callee"].startswith("cuStreamQuery"):
            place = "main" if site["file"] == os.path.abspath(__file__) else "inner"
            if place == "inner" and sys.version_info >= (3, 12):  # those before tell the line that runs the code
                assert site["file"][0] == "<" and site["line"] == INNER and site["function"] == "inner", site
            calls[place] = calls.get(place, 0) + site["calls"]
    rounds = THREADS * ROUNDS
    if sys.version_info < (3, 12):
        assert calls == {"main": rounds * (1 + CALLS)}, calls
    else:
        assert calls == {"main": rounds, "inner": rounds * CALLS}, calls


if len(sys.argv) > 1:
    check(sys.argv[1])
else:
    run()
