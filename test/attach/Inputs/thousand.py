# A thousand lines, each run by eight threads at once, every second one through twelve frames of a library: with no lock
# of the interpreter each thread runs instructions of its own.
# SPDX-License-Identifier: Apache-2.0
"""thousand.py, or thousand.py PROFILE: whether every line has its eight calls."""
import json
import os
import sys
import threading

THREADS, LINES, NAME = 8, 1000, "/thousand.py"


def run():
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))
    from deep import under
    from driver import context, cu

    cu.cuStreamQuery(None)
    for _ in range(2000):  # Python compares its frames with what was read
        pass
    space = {"query": cu.cuStreamQuery, "under": under}
    lines = "    query(None)\n    under(12, query, (None,))\n" * (LINES // 2)
    exec(compile("def thousand():\n" + lines, NAME, "exec"), space)
    begin = threading.Barrier(THREADS)

    def work():
        cu.cuCtxSetCurrent(context)
        begin.wait()
        space["thousand"]()

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def check(profile):
    calls = {}
    for site in json.load(open(profile))["sites"]:
        if site["file"] == NAME:
            calls[site["line"]] = calls.get(site["line"], 0) + site["calls"]
    wrong = [line for line in range(2, LINES + 2) if calls.get(line) != THREADS]
    assert not wrong and len(calls) == LINES, (len(wrong), wrong[:5], len(calls))


if len(sys.argv) > 1:
    check(sys.argv[1])
else:
    run()
