# Precompiled CUDA headers: parsing them takes nine tenths of the time of compiling a small program.
# SPDX-License-Identifier: Apache-2.0
"""Clang takes a folder for -include-pch and picks what fits: so one folder serves the host's compile, the device's, and
the one that the plugin starts for the simulated device. The objects are the same with and without, byte for byte
(test/e2e/checker/precompiled.test); with Thrust's, variables of .bss may change places, and the code is the same."""

import fcntl
import hashlib
import json
import os
import shlex
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
_known = {}  # key: folder, of this process


def _state(name):
    try:
        found = os.stat(name)
    except OSError:
        return [name, 0, 0]
    return [name, found.st_size, found.st_mtime_ns]


def _fits(folder):
    """Whether no header was changed since: clang would refuse the files."""
    try:
        with open(os.path.join(folder, "inputs.json"), encoding="utf-8") as file:
            return all(_state(entry[0]) == entry for entry in json.load(file))
    except (OSError, ValueError):
        return False


def _inputs(dependencies):
    with open(dependencies, encoding="utf-8") as file:
        return shlex.split(file.read().replace("\\\n", " ").split(":", 1)[1])


def _emit(cc1, target, more):
    """The driver's own cc1 command of a compile, to write a precompiled header instead."""
    command = ["-emit-pch" if w in ("-S", "-emit-obj") else w for w in cc1]
    if "-fcuda-include-gpubinary" in command:
        at = command.index("-fcuda-include-gpubinary")
        del command[at:at + 2]
    command[command.index("-o") + 1] = target
    # Else each compile instantiates the headers' templates again, which is half of its time.
    command.append("-fpch-instantiate-templates")
    return subprocess.run(command + more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def _make(compiler, flags, folder, source):
    plan = subprocess.run(compiler + flags + ["-###", "-c", source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, cwd=folder).stdout
    lines = [shlex.split(line) for line in plan.splitlines() if '"-cc1"' in line]
    device = [w for w in lines if "-fcuda-is-device" in w]
    host = [w for w in lines if "-fcuda-is-device" not in w]
    if len(device) != 1 or len(host) != 1:
        return False
    dependencies = os.path.join(folder, "host.d")
    done = _emit(host[0], os.path.join(folder, "host.pch"),
                 ["-sys-header-deps", "-dependency-file", dependencies, "-MT", "host"])
    if "-O0" not in flags:
        done = done and _emit(device[0], os.path.join(folder, "device.pch"), [])
        # The plugin's device compile takes the host's options, of which this is one.
        done = done and _emit(device[0], os.path.join(folder, "carried.pch"), ["-fno-convergent-functions"])
    if done:
        with open(os.path.join(folder, "inputs.json"), "w", encoding="utf-8") as file:
            json.dump([_state(name) for name in _inputs(dependencies)], file)
    return done


def folder(root, compiler, flags, source="Precompiled.cu"):
    """The folder below `root` for a command line's first words, made when it is not there; "" where that fails."""
    source = os.path.join(HERE, source)
    key = repr((compiler, flags, _state(os.path.realpath(compiler[0])), _state(source), _state(os.path.abspath(__file__))))
    if key not in _known:
        path = os.path.join(root, hashlib.sha256(key.encode()).hexdigest()[:16])
        os.makedirs(path, exist_ok=True)
        with open(path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _known[key] = path if _fits(path) or _make(compiler, flags, path, source) else ""
    return _known[key]
