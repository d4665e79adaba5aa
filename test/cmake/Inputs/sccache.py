# Compiles a file twice through an sccache server of its own.
# SPDX-License-Identifier: Apache-2.0
#
# usage: sccache.py FOLDER COMPILER ARGUMENT...
import json
import os
import subprocess
import sys


def main():
    folder, compiler, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    environment = dict(os.environ, SCCACHE_DIR=os.path.join(folder, "cache"), SCCACHE_SERVER_PORT=str(20000 + os.getpid() % 20000), SCCACHE_IDLE_TIMEOUT="60")

    def sccache(*words):
        return subprocess.run(["sccache", *words], env=environment, check=True, capture_output=True, text=True, timeout=120).stdout

    def compile_to(name):
        sccache(compiler, *arguments, "-o", os.path.join(folder, name))
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    def figures():
        stats = json.loads(sccache("--show-stats", "--stats-format=json"))["stats"]
        return (sum(stats[key]["counts"].values()) for key in ("cache_hits", "cache_misses"))

    try:
        print("same object:", compile_to("first.o") == compile_to("second.o"))
        print("%d hits, %d misses" % tuple(figures()))
    finally:
        subprocess.run(["sccache", "--stop-server"], env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


main()
