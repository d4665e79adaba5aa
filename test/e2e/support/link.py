# How the end-to-end programs of the simulated device are linked: by the linker itself, and without device code.
# SPDX-License-Identifier: Apache-2.0
import os
import shlex
import shutil
import struct
import subprocess


def linker():
    return "gold" if shutil.which("ld.gold") else "lld" if shutil.which("ld.lld") else "bfd"


class Link(list):
    """A driver's command that only links. expanded() is the linker's own, which starts in a fifth of the time."""
    _known = {}  # of this process

    def expanded(self, out):
        folder = os.path.join(out, "")
        short = tuple(w.replace(folder, "@/") for w in self)
        if short not in Link._known:
            answer = subprocess.run([*self, "-###"], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False, cwd=out).stdout
            command = shlex.split(answer.splitlines()[-1].replace("\\$", "$"))
            Link._known[short] = [w.replace(folder, "@/") for w in command]
        return [w.replace("@/", folder) for w in Link._known[short]]


def write_no_device_code(name, architecture):
    """A fat binary of the headers alone, to register kernels with (runtime/simulator/device/kernel/Module.cpp)."""
    elf = 2
    entry = struct.pack("<HHIQIIHHI", elf, 0x101, 32, 0, 0, 0, 0, 0, architecture)
    content = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
    if os.path.exists(name) and open(name, "rb").read() == content:
        return
    with open(f"{name}.{os.getpid()}", "wb") as file:
        file.write(content)
    os.replace(file.name, name)
