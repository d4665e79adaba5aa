# Compiles a program with and without precompiled headers: the objects must be equal, and the headers must be used.
# SPDX-License-Identifier: Apache-2.0
# Usage: precompiled.py FOLDER PRECOMPILED SOURCE -O2 -- COMPILER WORD...
# PRECOMPILED has the end-to-end programs' headers, or will have them.
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import pch

out_folder, root, source, *words = sys.argv[1:]
flags, compiler = words[:words.index("--")], words[words.index("--") + 1:]
instrumented = [w for w in compiler if w.startswith("-fplugin")]
compiler = [w for w in compiler if w not in instrumented]
cuda = source.endswith(".cu")
if cuda:  # as plan.py has it: so the header is the one that the programs take
    compiler[1:1] = [f"-I{w.split('=')[1]}/include" for w in compiler if w.startswith("--cuda-path=")]
folder = pch.folder(root, compiler, flags, "Programs.cu" if cuda else "Runtime.cpp")
if not folder:
    sys.exit("no precompiled header was made")
header = ["-Xclang", "-include-pch", "-Xclang", folder] if cuda else ["-include-pch", os.path.join(folder, "0-host.pch")]
objects = []
for name, words in (("without", []), ("with", header)):
    out = os.path.join(out_folder, name + ".o")
    host = ["--cuda-host-only"] if cuda and "-O0" in flags else []
    done = subprocess.run(compiler + words + host + flags + instrumented + ["-c", source, "-o", out],
                          stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode or done.stdout:  # a warning too: the kernels were not carried
        sys.exit(done.stdout or 1)
    with open(out, "rb") as file:
        objects.append(file.read())
if objects[0] != objects[1]:
    sys.exit(f"{source}: the object built with precompiled headers is another one")
