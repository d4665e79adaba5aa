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

import compilers

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
    return subprocess.run(command + more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          env=compilers.environment()).returncode == 0


def _commands(compiler, flags, source, cwd):
    """What the driver starts to compile `source`: (for the host, for the device)."""
    plan = subprocess.run(compiler + flags + ["-###", "-c", source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, cwd=cwd).stdout
    lines = [shlex.split(line) for line in plan.splitlines() if '"-cc1"' in line]
    return [w for w in lines if "-fcuda-is-device" not in w], [w for w in lines if "-fcuda-is-device" in w]


def _make(variants, folder, source):
    dependencies, inputs = os.path.join(folder, "host.d"), set()
    for number, (compiler, flags) in enumerate(variants):
        host, device = _commands(compiler, flags, source, folder)
        if len(host) != 1 or len(device) > 1:
            return False
        out = os.path.join(folder, f"{number}-")
        if not _emit(host[0], out + "host.pch", ["-sys-header-deps", "-dependency-file", dependencies, "-MT", "host"]):
            return False
        inputs.update(_inputs(dependencies))
        if not device or "-O0" in flags:
            continue
        # The plugin's device compile takes the host's options, of which -fno-convergent-functions is one.
        if not _emit(device[0], out + "device.pch", []) or not _emit(device[0], out + "carried.pch", ["-fno-convergent-functions"]):
            return False
    with open(os.path.join(folder, "inputs.json"), "w", encoding="utf-8") as file:
        json.dump([_state(name) for name in sorted(inputs)], file)
    return True


def folder(root, compiler, flags, source="Programs.cu"):
    """The folder below `root` for a command line's first words, made when it is not there; "" where that fails."""
    return folder_of([(compiler, flags)], root, source)


def folder_of(variants, root, source):
    """One folder for several command lines, each (compiler, flags), of which clang picks. `source` is in headers/."""
    source = os.path.join(HERE, "headers", source)
    key = repr((variants, [_state(os.path.realpath(compiler[0])) for compiler, _ in variants],
                _state(source), _state(os.path.abspath(__file__))))
    if key not in _known:
        path = os.path.join(root, hashlib.sha256(key.encode()).hexdigest()[:16])
        os.makedirs(path, exist_ok=True)
        with open(path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _known[key] = path if _fits(path) or _make(variants, path, source) else ""
    return _known[key]
