#!/usr/bin/env python3
# The tests of attached programs on a real driver: their own RUN lines, where there is neither lit nor a compiler.
# SPDX-License-Identifier: Apache-2.0
"""real.py make TESTS FOLDER NAME=TEXT...    where the compilers are: a folder that runs anywhere. NAME is a substitution
real.py run FOLDER OUT CLI [SECONDS [JOBS]]   there: one line for each test, PASS, FAIL or LEFT OUT and why

`SIMULATED RUN:` are for the simulated device alone. A test begins anew at each line that attaches: such parts run side by
side, but those that write the same file. With GPUINSTR_REAL_SIMULATE the programs run on the simulated device after all.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

COMPILERS = ("g++", "gcc", "%clangxx", "%nvcc_path")
# What a test needs that a machine may lack.
LACKING = {"cupti-headers": "compares headers", "other-python": "no Python here that is not known"}
# Tests that have a section of their own, or are about what surrounds them here.
ELSEWHERE = {
    "sequences": "section sequences",
    "cost": "section cost",
    "on-a-gpu": "about this script",
}


def lines_of(test):
    """(only simulated, command) of each RUN line; continued ones are joined."""
    text = re.sub(r"\\\n\s*(?:\w+ )?RUN:", "", open(test).read())
    return [(bool(said[1]), said[2].strip()) for said in re.finditer(r"^\W*(SIMULATED )?RUN:(.*)$", text, re.M)]


def substituted(text, known):
    for name, value in known.items():
        text = re.sub(r"%" + re.escape(name) + (r"\b" if name[-1].isalnum() else ""), lambda _: value, text)
    return text.replace("%%", "%")


def lacking(test):
    """Why it cannot run on the other machine; "" it can."""
    needs = re.search(r"^REQUIRES:(.*)$", open(test).read(), re.M)
    return next((why for need, why in LACKING.items() if needs and need in needs[1]), "")


def name_of(test):
    return os.path.splitext(os.path.basename(test))[0]


def make(tests, folder, *words):
    known = dict(word.split("=", 1) for word in words)
    for place in ("tests", "made", "tools"):
        os.makedirs(os.path.join(folder, place), exist_ok=True)
    shutil.copytree(os.path.join(tests, "Inputs"), os.path.join(folder, "Inputs"), dirs_exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    shutil.copy(os.path.join(here, "filecheck.py"), os.path.join(folder, "tools", "FileCheck"))
    for name, script in {
        "not": '#!/bin/bash\n"$@"\ncode=$?\n[ $code != 0 ] && [ $code -lt 128 ]\n',
        "count": '#!/bin/bash\n[ "$(wc -l)" = "$1" ]\n',
    }.items():
        open(os.path.join(folder, "tools", name), "w").write(script)
        os.chmod(os.path.join(folder, "tools", name), 0o755)
    os.chmod(os.path.join(folder, "tools", "FileCheck"), 0o755)
    for file in sorted(os.listdir(tests)):
        if not file.endswith(".test") or name_of(file) in ELSEWHERE:
            continue
        shutil.copy(os.path.join(tests, file), os.path.join(folder, "tests", file))
        own = {**known, "inputs": os.path.join(folder, "Inputs"), "t": os.path.join(folder, "made", name_of(file))}
        for simulated, command in lines_of(os.path.join(tests, file)):
            if not simulated and not lacking(os.path.join(tests, file)) and command.startswith(("rm -rf %t", *COMPILERS)):
                subprocess.run(["bash", "-e", "-c", substituted(command, own)], check=True)


class Part:
    """Commands of a test that run one after the other, and need nothing of its other parts."""

    def __init__(self, test):
        self.test, self.commands, self.writes, self.problem, self.seconds = test, [], set(), "", 0

    def run(self, environment, end):
        begin = time.time()
        for command in self.commands:
            left = end - time.time()
            if left < 2:
                self.problem = "no time left"
                break
            try:
                done = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, errors="replace", timeout=min(left, 120), env=environment
                )
            except subprocess.TimeoutExpired:
                self.problem = f"did not end: {command}"
                break
            if done.returncode != 0:
                said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
                self.problem = f"exit {done.returncode}: {command}" + "".join(f"\n       {line[:300]}" for line in said[-4:])
                break
        self.seconds = time.time() - begin


def parts_of(test, known):
    parts = [Part(name_of(test))]
    for simulated, command in lines_of(test):
        if simulated or command.startswith(COMPILERS):
            continue
        command = re.sub(r"rm -rf \S+ && ", "", command)  # what was made elsewhere lies there
        if "%attach" in command and any("%attach" in before for before in parts[-1].commands):
            parts.append(Part(name_of(test)))
        parts[-1].commands.append(command)
    apart = []
    for part in parts:
        part.commands = [substituted(command, known) for command in part.commands]
        part.writes = {file for command in part.commands for file in re.findall(r"(?:>|--json|-o) ?(\S+)", command)}
        if same := next((other for other in apart if other.writes & part.writes), None):
            same.commands += part.commands
            same.writes |= part.writes
        else:
            apart.append(part)
    return apart


def run(folder, out, cli, seconds="120", jobs="8"):
    end = time.time() + float(seconds)
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(os.path.join(folder, "made"), out)
    simulate = "--simulate" if os.environ.get("GPUINSTR_REAL_SIMULATE") else ""
    lib = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(cli))), "lib")
    environment = {**os.environ, "PATH": os.path.join(folder, "tools") + ":" + os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
    if not simulate:
        environment["GPUINSTR_ON_GPU"] = "1"
    parts, results = [], {}
    for file in sorted(os.listdir(os.path.join(folder, "tests"))):
        test = os.path.join(folder, "tests", file)
        if why := lacking(test):
            print(f"LEFT OUT {name_of(file)}: {why}")
            continue
        known = {
            "attach_library": os.path.join(lib, "libgpuinstr_attach.so"),
            "attach": f"{cli} run --attach {simulate}",
            "cli": cli,
            "runtime": os.path.join(lib, "libgpuinstr_rt.so"),
            "inputs": os.path.join(folder, "Inputs"),
            "source": folder,
            **{"{%s}" % name: sys.executable for name in ("known_python", "python_any", "each_python")},
            "s": test,
            "t": os.path.join(out, name_of(file)),
        }
        parts += parts_of(test, known)
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        for future in [pool.submit(part.run, environment, end) for part in sorted(parts, key=lambda p: -len(p.commands))]:
            future.result()
    failed = False
    for part in parts:
        results.setdefault(part.test, []).append(part)
    for test, all_parts in results.items():
        problems = [part.problem for part in all_parts if part.problem]
        count = sum(len(part.commands) for part in all_parts)
        seconds = sum(part.seconds for part in all_parts)
        failed = failed or bool(problems)
        said = f"{len(problems)} of {len(all_parts)} parts" if problems else f"{count} commands"
        print(f"{'FAIL' if problems else 'PASS'} {test}: {said}, {seconds:.0f} s")
        for problem in problems[:3]:
            print(f"     {problem}")
    if not failed:
        shutil.rmtree(out)
    sys.exit(failed)


if __name__ == "__main__":
    {"make": make, "run": run}[sys.argv[1]](*sys.argv[2:])
