# How many site descriptors each function of an LLVM module reaches through its references.
# SPDX-License-Identifier: Apache-2.0
#
# usage: reached.py MODULE.ll
# LLVM's call-graph passes follow the references of every function through the initialisers of
# variables. Prints the number of sites, and the most that a function with sites reaches.
import re
import sys

NAME = re.compile(r'@("[^"]+"|[\w.$]+)')
SITE = re.compile(r"__gpuinstr_site(\.\d+)?$")
PACKED = re.compile(r"@__gpuinstr_packed = .*?\{ i32 \d+, i32 0, i32 (\d+),")

refers, functions = {}, {}
held = {}  # sites that a variable is or holds
with open(sys.argv[1]) as module:
    inside = None
    for line in module:
        names = [name.strip('"') for name in NAME.findall(line)]
        if line.startswith("define"):
            inside = functions.setdefault(names[0], set())
        elif line.startswith("}"):
            inside = None
        elif inside is not None:
            inside.update(names)
        elif line.startswith("@"):
            refers[names[0]] = names[1:]
            held.setdefault(names[0], bool(SITE.match(names[0])))
            if packed := PACKED.match(line):
                held["__gpuinstr_numbered"] = int(packed[1])


def reached(start):
    seen, todo = set(), list(start)
    while todo:
        name = todo.pop()
        if name in seen or name in functions:
            continue
        seen.add(name)
        todo.extend(refers.get(name, ()))
    return sum(held.get(name, 0) for name in seen)


def most(wanted):
    return max(reached(refs) for name, refs in functions.items() if wanted(name))


def registers(name):
    return name.startswith("__gpuinstr_")


print("sites:", sum(held.values()))
print("a function reaches:", most(lambda name: not registers(name)))
print("the constructor reaches:", most(registers))
