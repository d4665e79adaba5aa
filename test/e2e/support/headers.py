# Which precompiled or smaller headers a program of the simulated device is built with: test/e2e/README.md.
# SPDX-License-Identifier: Apache-2.0
import os
import re

import pch

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.path.join(HERE, "headers")
GPUINSTR = os.path.normpath(os.path.join(HERE, "..", "..", "..", "runtime", "include"))
# Programs that include no more than this take a <vector> of their own with nvcc.
PLAIN = {"cstdio", "cstdlib", "cstring", "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "dlfcn.h", "stddef.h", "stdint.h",
         "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h", "utility", "vector"}
FIXED = ["-include", os.path.join(HEADERS, "fixed.h")]
FOR_NVCC = [os.path.join(HEADERS, "nvcc", "bits", "specfun.h"), os.path.join(HEADERS, "nvcc-small", "vector")]


def included(path):
    """The headers of others that a source includes, by itself and through its own."""
    names = set()
    with open(path, encoding="utf-8", errors="replace") as source:
        for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', source.read(), re.MULTILINE):
            inner = os.path.join(os.path.dirname(path), name)
            names |= included(inner) if os.path.isfile(inner) else {name}
    return names


def for_nvcc(sources):
    """The words that put smaller headers before larger ones."""
    small = all(included(s) <= PLAIN for s in sources)
    return [w for name in (("nvcc", "nvcc-small") if small else ("nvcc",))
            for w in ("-isystem", os.path.join(HEADERS, name))]


def precompiled(root, sources, host, cuda, level, more):
    """The words of clang that take a precompiled header, none where there is none for these options. `host` is the
    compiler's command for C++, which `cuda` completes for CUDA; `level` are a mode's options, `more` a program's."""
    more = [f for f in more if f not in FIXED]
    others = [f for f in more if f != "-pthread"]
    if all(s.endswith(".cpp") for s in sources):
        return _for_host(root, sources, host, level + ["-pthread"] * ("-pthread" in more), others)
    thrust = ["-std=c++17", "-isystem", f"{cuda[0].split('=')[1]}/include/cccl", "-Wno-pass-failed"]
    if others not in ([], thrust) or not all(s.endswith(".cu") for s in sources):
        return []
    folder = pch.folder(root, host + cuda, level + more, "Thrust.cu" if others else "Programs.cu")
    return ["-Xclang", "-include-pch", "-Xclang", folder] if folder else []


def _for_host(root, sources, compiler, flags, others):
    """What a source would not include itself may not be there: overloads of CUDA's functions."""
    names = set.intersection(*(included(s) for s in sources))
    source = "Runtime.cpp" if "cuda_runtime.h" in names else "RuntimeApi.cpp" if "cuda_runtime_api.h" in names else ""
    if not source or not set(others) <= {f"-I{GPUINSTR}", "-rdynamic"}:
        return []
    folder = pch.folder(root, compiler, flags, source)
    return ["-include-pch", os.path.join(folder, "0-host.pch")] if folder else []
