# Runs a program with and without the runtime.
# SPDX-License-Identifier: Apache-2.0
"""Of cases.py, which see: a table of cases, and what they do their work with."""
import os
import subprocess
import sys
import time

APP, RUNTIME, LIBRARIES, SCRATCH = sys.argv[1:5]
LIMIT_S = 20
CASES = {}


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


class Ended:
    def __init__(self, status, out, err, folder):
        self.status, self.out, self.err, self.folder = status, out, err, folder

    def text(self, name):
        path = os.path.join(self.folder, name)
        return open(path, encoding="utf-8", errors="replace").read() if os.path.exists(path) else None

    def files(self):
        return sorted(os.path.relpath(os.path.join(top, name), self.folder)
                      for top, _, names in os.walk(self.folder) for name in names)


def run(arguments, options="color=never", runtime=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE, before=None,
        while_running=None, app=None, environment=None, given=(), limit=LIMIT_S):
    """One process in a fresh folder."""
    folder = os.path.join(SCRATCH, "%s-%d" % (arguments[0] if arguments else "plain", time.monotonic_ns()))
    os.makedirs(folder)
    variables = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": LIBRARIES, "GPUINSTR_SIM": "kernels=skip",
                 "GPUINSTR_RUNTIME": RUNTIME if runtime is None else runtime, "GPUINSTR_OPTIONS": options,
                 **(environment or {})}
    process = subprocess.Popen([app or APP, *arguments], cwd=folder, stdout=stdout, stderr=stderr, env=variables,
                               stdin=subprocess.DEVNULL, preexec_fn=before, pass_fds=given)
    if while_running:
        while_running(process)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return Ended("hangs", out, err, folder)
    text = [(t or b"").decode(errors="replace") for t in (out, err)]
    return Ended(process.returncode, text[0], text[1], folder)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def like_plain(arguments, **how):
    """The instrumented run, which must look like the one that finds no runtime. That says so on stderr: its own line is
    not compared."""
    with_runtime = run(arguments, **how)
    how["options"] = ""
    plain = run(arguments, runtime="/nonexistent.so", **how)
    check(with_runtime.status == plain.status, "status %s, without the runtime %s; stderr: %s" %
          (with_runtime.status, plain.status, with_runtime.err))
    check(with_runtime.out == plain.out, "stdout %r, without the runtime %r" % (with_runtime.out, plain.out))
    return with_runtime


def reports(text):
    return text is not None and "d_lost" in text and "leak" in text
