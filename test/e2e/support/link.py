# How the end-to-end programs of the simulated device are linked: by the linker itself.
# SPDX-License-Identifier: Apache-2.0
import os
import shlex
import shutil
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
