#!/usr/bin/env python3
# Compiles sources with and without the plugin: who only reads what the compiler says and writes must
# not be able to tell which.
# SPDX-License-Identifier: Apache-2.0
"""corpus.py --compiler CLANG --plugin PLUGIN --cuda ROOT --work FOLDER [--runtime FILE --libraries FOLDER]
[--jobs N] [--flags FLAGS]... SOURCE-OR-FOLDER...

Compared are exit code, diagnostics, the dependency file, which files come out, and the object's symbols but for those
of gpuinstr and its weak references to the CUDA runtime's functions. A source's own line `corpus: FLAGS | FLAGS ...` says how it is compiled; `same` among the flags wants
outputs that are equal to the byte, `run` links it and compares what the programs print. Other sources are compiled
with each --flags (-O0, -O2)."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

EXTENSIONS = (".c", ".cc", ".cpp", ".cxx", ".cu", ".m", ".mm", ".hip", ".cl", ".cppm", ".h", ".S", ".ll")
# Instrumented code connects the runtime at its start: what that asks of the C library.
OWN = re.compile(r"gpuinstr|^(dl(open|sym|close|addr|error)|clock_gettime|environ|getauxval|getenv|secure_getenv|isatty|"
                 r"mem(set|cpy|cmp|move)|str(len|cmp|chr)|write|sig[a-z]+|__tls_get_addr|__cxa_atexit|atexit|"
                 r"_GLOBAL_OFFSET_TABLE_|__[atm]san_.*|__ubsan_.*|_Unwind_Resume|__(gxx|gcc)_personality_v0)$")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("compiler", "plugin", "cuda", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--runtime", default="")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--flags", action="append")
    parser.add_argument("sources", nargs="+")
    return parser.parse_args()


def sources(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        for top, folders, names in os.walk(place):
            folders.sort()
            yield from (os.path.join(top, name) for name in sorted(names) if name.endswith(EXTENSIONS))


def variants(source, given):
    with open(source, encoding="utf-8", errors="replace") as file:
        first = file.readline()
    found = re.search(r"corpus: (.*?)(\*/)?$", first.strip())
    if found:
        return [flags.split() for flags in found[1].split("|")]
    if source.endswith(".h"):
        return []
    return [flags.split() for flags in given or ["-O0", "-O2"]]


def symbols(compiler, file):
    nm = os.path.join(os.path.dirname(os.path.realpath(compiler)), "llvm-nm")
    done = subprocess.run([nm, "--format=posix", "--extern-only", file], capture_output=True, text=True, check=False)
    if done.returncode:
        return None  # no object
    defined, undefined, weak = set(), set(), set()
    for line in done.stdout.splitlines():
        name, kind = line.split()[:2]
        if OWN.search(name):
            continue
        # Weak ones are copies of what is inlined elsewhere: they come and go with the optimiser's choice.
        if kind == "U":
            undefined.add(name)
        elif kind in "wv":
            weak.add(name)
        elif kind not in "WV":
            defined.add((name, kind))
    return defined, undefined, weak


def runtime_names():
    root = os.path.join(os.path.dirname(os.path.realpath(__file__)), *[".."] * 4)
    with open(os.path.join(root, "plugin", "api", "RuntimeNames.def"), encoding="utf-8") as file:
        return set(re.findall(r"CUDART\((\w+)\)", file.read()))


class Side:
    """One compile, in a folder of its own: names within are the same on either side."""

    def __init__(self, options, folder, source, flags, extra):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        run = "run" in flags
        flags = [flag.replace("%s", source) for flag in flags if flag not in ("run", "same")]
        target = [] if run or {"-E", "-M", "-fsyntax-only", "--analyze", "-S", "--precompile"} & set(flags) else ["-c"]
        command = [options.compiler, *extra, *flags, *target, "-I" + os.path.join(options.cuda, "include"),
                   "-I" + os.path.dirname(source)]
        if source.endswith(".cu"):
            command += ["--cuda-path=" + options.cuda, "--cuda-gpu-arch=sm_75", "-Wno-unknown-cuda-version"]
        if "-M" not in flags:
            command += ["-MD", "-MF", "deps"]
        if run:
            command += ["-pthread", "-L" + os.path.join(options.cuda, "lib64"), "-lcudart", "-lstdc++"]
        if not {"-fsyntax-only", "--analyze"} & set(flags):
            command += ["-o", "out"]
        command += [source]
        self.command = command
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        self.said = (done.returncode, done.stdout, done.stderr)
        self.files = sorted(os.listdir(folder))
        self.printed = None
        if run and done.returncode == 0:
            environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": options.libraries,
                           "GPUINSTR_RUNTIME": options.runtime, "GPUINSTR_OPTIONS": "report=off"}
            ended = subprocess.run([os.path.join(folder, "out")], cwd=folder, capture_output=True, check=False,
                                   env=environment)
            self.printed = (ended.returncode, ended.stdout)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()


def difference(options, flags, plain, ours):
    if plain.said != ours.said:
        return "exit code or diagnostics: %s %s\nwith the plugin: %s %s" % (
            plain.said[0], plain.said[2].decode(errors="replace"), ours.said[0], ours.said[2].decode(errors="replace"))
    if plain.files != ours.files:
        return "files: %s, with the plugin %s" % (plain.files, ours.files)
    if "deps" in plain.files and plain.read("deps") != ours.read("deps"):
        return "dependencies"
    if plain.printed != ours.printed:
        return "output of the program: %s, with the plugin %s" % (plain.printed, ours.printed)
    if "same" in flags and any(plain.read(name) != ours.read(name) for name in plain.files):
        return "outputs are not the same to the byte"
    if "out" in plain.files and "run" not in flags:
        mine, theirs = (symbols(options.compiler, os.path.join(side.folder, "out")) for side in (ours, plain))
        if not mine or not theirs:
            return None if mine == theirs else "one is no object"
        more = mine[1] - theirs[1] - theirs[2] | mine[2] - theirs[1] - theirs[2] - runtime_names()
        if mine[0] != theirs[0] or more:
            return "symbols: %s, asked for: %s" % (sorted(mine[0] ^ theirs[0])[:10], sorted(more)[:10])
    return None


def compare(options, number, source, flags):
    folder = os.path.join(options.work, str(number))
    source = os.path.abspath(source)
    # The same length on both sides: some outputs hold the folder's name.
    plain = Side(options, os.path.join(folder, "0"), source, flags, [])
    ours = Side(options, os.path.join(folder, "1"), source, flags, ["-fplugin=" + options.plugin])
    found = difference(options, flags, plain, ours)
    if not found:
        shutil.rmtree(folder)
    return source, flags, found, plain.said[0] == 0, ours.command


def main():
    options = arguments()
    for name in ("plugin", "work", "runtime", "libraries"):  # from each compile's folder
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    work = [(source, flags) for source in sources(options.sources) for flags in variants(source, options.flags)]
    if not work:
        sys.exit("no sources")
    compiled = refused = bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for source, flags, found, good, command in pool.map(lambda item: compare(options, item[0], *item[1]),
                                                            enumerate(work)):
            compiled += good
            refused += not good
            if found:
                bad += 1
                print("DIFFERS  %s [%s]: %s\n  %s" % (source, " ".join(flags), found, " ".join(command)))
    print("%d compiles alike: %d make an output, %d are refused; %d differ" %
          (len(work) - bad, compiled, refused, bad))
    sys.exit(bad != 0)


main()
