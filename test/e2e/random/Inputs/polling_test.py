# The script that runs polling programs, on made-up ones: it tells those that end without gpuinstr alone.
# SPDX-License-Identifier: Apache-2.0
import os
import runpy
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.normpath(os.path.join(HERE, "..", "..", "..", "..", "tools", "random-polling"))

# Is stuck at the seeds that it has for its options; otherwise goes through.
APP = """#!/bin/sh
at=$1 end=$(($1 + $2))
case $GPUINSTR_OPTIONS in *full*) stuck='{full}' ;; *budget*) stuck='' ;; *) stuck='{plain}' ;; esac
while [ $at -lt $end ]; do
  for seed in $stuck; do [ $seed != $at ] || {{ echo "$at {how}"; exit {code}; }}; done
  at=$((at + 1))
done
"""


def run(own, plain, how="stuck", code=3):
    with tempfile.TemporaryDirectory() as folder:
        script = runpy.run_path(TOOL)["RUN"].replace("@COMPILERS@", "one").replace("@LIBRARIES@", "")
        os.makedirs(os.path.join(folder, "one", "plain"))
        os.makedirs(os.path.join(folder, "lib"))
        files = {"run": script, "one/app": APP.format(full=own[0], plain=own[1], how=how, code=code),
                 "one/plain/app": APP.format(full=plain, plain=plain, how="stuck", code=3)}
        for name, text in files.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)
        done = subprocess.run([os.path.join(folder, "run"), "100", "1"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return done.returncode, done.stdout


code, said = run(("", ""), "")
assert code == 0 and "100 passed, 0 failed" in said, said
code, said = run(("7 60", ""), "")
assert code == 1 and "98 passed, 2 failed" in said and "seed 7 [audit=full]" in said and "seed 60 [" in said, said
code, said = run(("7", "8"), "")
assert code == 1 and "98 passed, 2 failed" in said and "seed 8 []" in said, said
code, said = run(("7", "7"), "7")  # nor does it end without
assert code == 0 and "100 passed, 0 failed" in said and "without gpuinstr 1 did not end" in said, said
code, said = run(("7", ""), "", "broken", 1)  # ends with an error
assert code == 1 and "1 failed" in said, said
code, said = run(("", ""), " ".join(map(str, range(1, 60))))  # nothing is shown where most do not end at all
assert code == 1, said
