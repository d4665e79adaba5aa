# How each end-to-end program is built: its modes, its helpers, the commands.
# SPDX-License-Identifier: Apache-2.0
"""Reads the build directives of test programs (test/e2e/README.md) and turns them into commands.

lit uses it through e2e_format.py. For a GPU machine:
  plan.py list  [--target gpu]                       one line a test: SOURCE <tab> MODE
  plan.py build --out DIR --build BUILD --cuda ROOT  builds all of them into DIR and writes DIR/run
"""

import argparse
import concurrent.futures
import fcntl
import fnmatch
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

import compilers
import headers
from link import Link, linker, write_no_device_code

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(ROOT)), "runtime", "include")
SUFFIXES = (".cu", ".cpp", ".c")

DIRECTIVE = re.compile(r"^\s*(?://|/\*)\s*(BUILD|TWIN|FLAGS|PLUGIN|WITH|WITH-PLAIN|SHARED|SHARED-PLAIN|"
                       r"DLOPEN|DLOPEN-PLAIN|REQUIRES|ONLY|NOT-CARRIED)(?:\[([^\]]*)\])?:\s*(.*?)\s*(?:\*/)?$")


@dataclass(frozen=True)
class Mode:
    compiler: str  # clang, nvcc, nvcc19
    flags: tuple = ()
    tags: tuple = ()
    static_cudart: bool = False
    needs: tuple = ()  # features
    target: str = ""  # "gpu": only there


MODES = {
    "clang-O0": Mode("clang", ("-O0",), ("clang", "O0")),
    "clang-O2": Mode("clang", ("-O2",), ("clang", "O2")),
    "clang-debug": Mode("clang", ("-O0", "-g"), ("clang", "O0", "debug")),
    "clang-static": Mode("clang", ("-O2",), ("clang", "O2", "static"), static_cudart=True, target="gpu"),
    "clang-lto": Mode("clang", ("-O2", "-flto", "-fuse-ld=lld"), ("clang", "O2", "lto"), needs=("lld",)),
    "clang-thinlto": Mode("clang", ("-O2", "-flto=thin", "-fuse-ld=lld"), ("clang", "O2", "thinlto"),
                          needs=("lld",)),
    "clang-rdc": Mode("clang", ("-O2", "-fgpu-rdc"), ("clang", "O2", "rdc")),
    "clang-ptsz": Mode("clang", ("-O2", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"),
                       ("clang", "O2", "ptsz")),
    "nvcc": Mode("nvcc", ("-O2",), ("nvcc",), needs=("nvcc",)),
    "nvcc-debug": Mode("nvcc", ("-g", "-O0"), ("nvcc", "debug"), needs=("nvcc",)),
    "nvcc-static": Mode("nvcc", ("-O2",), ("nvcc", "static"), static_cudart=True, needs=("nvcc",),
                        target="gpu"),
    "nvcc-rdc": Mode("nvcc", ("-O2", "-rdc=true"), ("nvcc", "rdc"), needs=("nvcc",)),
    "nvcc19": Mode("nvcc19", ("-O2",), ("nvcc", "nvcc19"), needs=("nvcc", "clang19")),
}

COMMON_MODES = (MODES["clang-O0"], MODES["clang-O2"], MODES["clang-ptsz"])
# Here programs are compiled and linked in one command, with device code and the system's linker, as their users do.
AS_USED = ("build", "launch", "library")
# Where the shape of the calls is the subject, and not what they do to the device: there -O0 is a default, too.
SHAPES = ("api", "build", "capture", "error", "launch", "leak", "library", "wrapper")


@dataclass
class Toolchain:
    lib: str  # libgpuinstr.so, libgpuinstr_rt.so, simulator/
    bin: str  # gpuinstr-expect
    cuda: str
    cuda_lib: str
    llvm_bin: str
    arch: str = "sm_75"
    target: str = "simulator"
    llvm19_bin: str = "/usr/lib/llvm-19/bin"
    static_libstdcxx: bool = False
    precompiled: str = ""  # folder for precompiled headers, "" for none

    def plugin(self, mode):
        return os.path.join(self.lib, "libgpuinstr-19.so" if mode.compiler == "nvcc19" else "libgpuinstr.so")


@dataclass
class Program:
    """A source file and its build directives."""
    path: str
    directives: list = field(default_factory=list)  # (name, tags, text)

    @staticmethod
    def read(path):
        program = Program(os.path.abspath(path))
        with open(path, encoding="utf-8") as source:
            for line in source:
                match = DIRECTIVE.match(line)
                if match:
                    tags = [t.strip() for t in (match.group(2) or "").split(",") if t.strip()]
                    program.directives.append((match.group(1), tags, match.group(3)))
        return program

    @property
    def name(self):
        return os.path.splitext(os.path.relpath(self.path, ROOT))[0]

    @property
    def folder(self):
        return self.name.split(os.sep)[0]

    @property
    def default_modes(self):
        return ("clang-O0", "clang-O2") if self.folder in SHAPES else ("clang-O2",)

    def texts(self, name, tags=frozenset()):
        for key, wanted, text in self.directives:
            if key == name and all((t[1:] not in tags) if t[0] == "!" else (t in tags) for t in wanted):
                yield text

    def carries(self, mode, target):
        """Whether its kernels run on the simulated device: nvcc's have no LLVM IR; one level is enough, for the device
        code is compiled by -O2 at any."""
        return (target == "simulator" and mode.compiler == "clang" and "O2" in mode.tags and self.path.endswith(".cu") and
                not any(key == "NOT-CARRIED" for key, _, _ in self.directives))

    def modes(self, target):
        """[(label, Mode, is_twin)] of this program on one target."""
        if any(text != target for text in self.texts("ONLY")):
            return []
        names = [m for text in self.texts("BUILD") for m in text.split()] or list(self.default_modes)
        for name in names:
            if name not in MODES:
                raise ValueError(f"{self.path}: unknown BUILD mode '{name}'")
        here = [(n, MODES[n], False) for n in names if MODES[n].target in ("", target)]
        if here and any(True for _ in self.texts("TWIN")):
            label, mode, _ = here[-1] if "clang-O2" not in names else ("clang-O2", MODES["clang-O2"], 0)
            here.append((label + "-twin", mode, True))
        return here


def tags_of(program, mode, twin, target):
    """The target stands last."""
    carried = ["carried"] if program.carries(mode, target) else []
    return list(mode.tags) + (["twin"] if twin else []) + carried + [target]


def _meaning(texts):
    """Without what nvcc does by itself or has no name for: CCCL's folder, and warnings."""
    words = " ".join(texts).replace("-isystem %cuda/include/cccl", "").split()
    return [w for w in words if not w.startswith("-W") or w.startswith("-Wl,")]


def reference(program, label, mode, twin, target):
    """(label, mode) of the plain program that a test compares with; None: the program itself, which finds no runtime
    then: so it is for what is about findings alone. On the simulated device what the host says is the same by any compiler: one plain program serves all modes
    that build the same sources. Where kernels are carried it has them, and what the others compute must agree."""
    if target == "gpu":
        return label, mode
    if twin or (program.folder == "waste" and not program.name.startswith("waste/traps/")):
        return None
    names = {name for name, m, _ in program.modes(target) if program.carries(m, target)}
    name = "clang-O2" if "clang-O2" in names else "clang-O0"
    if name == "clang-O0" and program.carries(mode, target):
        return label, mode
    shared = MODES[name]
    own, its = (set(tags_of(program, m, twin, target)) for m in (mode, shared))
    differ = any(_meaning(program.texts(key, own)) != _meaning(program.texts(key, its))
                 for key in ("FLAGS", "WITH", "WITH-PLAIN", "SHARED", "SHARED-PLAIN", "DLOPEN", "DLOPEN-PLAIN"))
    clang = any(m.compiler == "clang" for _, m, _ in program.modes(target))
    special = any(f.startswith("-D") for f in mode.flags) or "rdc" in mode.tags
    if differ or special or not clang:
        return label, mode
    return name, shared


class Builder:
    """The commands of one test: a program in one mode, instrumented or plain, in one folder."""

    def __init__(self, program, mode, twin, toolchain, out, instrumented):
        self.program, self.mode, self.tc, self.out = program, mode, toolchain, out
        self.instrumented = instrumented
        self.tags = set(tags_of(program, mode, twin, toolchain.target))
        self.twin = twin
        self.commands = []

    def _expand(self, text):
        return [w.replace("%cuda", self.tc.cuda).replace("%gpuinstr", INCLUDE)
                .replace("%S", os.path.dirname(self.program.path))
                .replace("%t", self.out) for w in shlex.split(text)]

    def _texts(self, name):
        return [w for text in self.program.texts(name, self.tags) for w in self._expand(text)]

    def _clang(self):
        return [os.path.join(self.tc.llvm_bin, "clang++"), f"-I{self.tc.cuda}/include"]

    def _cuda(self):
        architectures = [self.tc.arch]
        if self.tc.target == "gpu" and "rdc" in self.mode.tags:  # clang links no PTX, which newer GPUs could translate
            architectures += [a for a in ("sm_80", "sm_90", "sm_100", "sm_120") if a != self.tc.arch]
        return [f"--cuda-path={self.tc.cuda}", *(f"--cuda-gpu-arch={a}" for a in architectures), "-Wno-unknown-cuda-version"]

    def _compiler(self, sources, precompiled=True):
        tc, cuda = self.tc, any(s.endswith(".cu") for s in sources)
        if self.mode.compiler == "clang":
            if sources and all(s.endswith(".c") for s in sources):
                return [os.path.join(tc.llvm_bin, "clang"), f"-I{tc.cuda}/include"]
            device = self._cuda()
            if cuda and not self._wants_device_code():
                device += ["--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", self._no_device_code()]
            if tc.target == "gpu":  # newer GPUs translate PTX; clang leaves it out otherwise
                device.append("--cuda-include-ptx=all")
            return (self._clang() + (device if cuda or self.mode.tags[-1] == "rdc" else []) +
                    (self._precompiled(sources) if precompiled else []))
        host = os.path.join(tc.llvm19_bin if self.mode.compiler == "nvcc19" else tc.llvm_bin, "clang++")
        runtime = "static" if self.mode.static_cudart else "shared"
        lean = headers.for_nvcc(sources) if self._in_steps() else []
        code = [f"-arch={tc.arch}"]
        if tc.target == "simulator" and self.mode.compiler == "nvcc":
            lean += ["-Ofc", "max"]  # the device code, which never runs there, takes half of the time with Thrust
            if self._in_steps():  # and no machine code of it
                code = [f"-arch={tc.arch.replace('sm_', 'compute_')}"]
        return [os.path.join(tc.cuda, "bin", "nvcc"), "-ccbin", host, "-allow-unsupported-compiler",
                *code, "-cudart", runtime, *lean]

    def _precompiled(self, sources):
        """For the modes that many programs have; all others are built as their users do."""
        flags, level = self._flags(), list(self.mode.flags)
        if not self.tc.precompiled or self.mode not in COMMON_MODES:
            return []
        return headers.precompiled(self.tc.precompiled, sources, self._clang(), self._cuda(), level, flags[len(level):])

    def _wants_device_code(self):
        """The simulated device never runs it, and it takes half of the time."""
        as_used = self.program.folder in AS_USED and self.instrumented and not self.twin and "O2" in self.mode.tags
        return self.tc.target == "gpu" or self.mode not in COMMON_MODES or as_used

    def _no_device_code(self):
        name = os.path.join(self.out, "no-device-code.fatbin")
        write_no_device_code(name, int(re.sub(r"\D", "", self.tc.arch)))
        return name

    def _pass_through(self, flags):
        if self.mode.compiler == "clang":
            return flags
        return [w for flag in flags for w in ("-Xcompiler", flag)]

    def _plugin_flags(self, instrumented, sources):
        """Without instrumentation kernels are carried all the same: the programs' output is compared."""
        instrumented = instrumented and self.instrumented
        carried = "carried" in self.tags and any(s.endswith(".cu") for s in sources)
        if not instrumented and not carried:
            return []
        flags = [f"-fplugin={self.tc.plugin(self.mode)}"]
        flags += ["-fplugin-arg-gpuinstr-simulate"] if carried else []
        flags += self._texts("PLUGIN") if instrumented else ["-fplugin-arg-gpuinstr-off"]
        return self._pass_through(flags)

    def _flags(self):
        # Libraries stand behind the objects that need them.
        flags = list(self.mode.flags) + [f for f in self._texts("FLAGS") if not f.startswith("-l")]
        if self.twin:
            flags += headers.FIXED if self.tc.precompiled and self.mode in COMMON_MODES else ["-DFIXED"]
        if self.mode.compiler != "clang":
            flags = [f if f not in ("-pthread", "-fPIC") else f"-Xcompiler={f}" for f in flags]
            flags = ["-Xlinker=" + f[4:] if f.startswith("-Wl,") else f for f in flags]
        return flags

    def _libraries(self):
        flags = [f"-L{self.tc.cuda_lib}", f"-L{self.tc.cuda_lib}/stubs"]
        if self.mode.compiler == "clang":
            flags += ["-lcudart_static", "-ldl", "-lrt", "-lpthread"] if self.mode.static_cudart else ["-lcudart"]
        flags += [f for f in self._texts("FLAGS") if f.startswith("-l")]
        if self.tc.static_libstdcxx:
            flags += self._link(["-static-libstdc++", "-static-libgcc"])
        return flags

    def _in_steps(self):
        """Whether each source is compiled by itself and the linker called without a driver: half the time."""
        common = self.mode in COMMON_MODES or self.mode == MODES["nvcc"]
        return self.tc.target == "simulator" and common and not (self.program.folder in AS_USED and self.instrumented)

    def _build_in_steps(self, sources, inputs, target, options):
        objects = []
        for number, source in enumerate(sources):
            objects.append(f"{target}.{number}.o")
            shared = "-shared" in options
            self.commands.append(self._compiler([source], precompiled=not shared) + self._flags() +
                                 self._plugin_flags(True, [source]) + self._pass_through(["-fPIC"] if shared else []) +
                                 ["-c", source, "-o", objects[-1]])
        flags = [f.replace("-Xlinker=", "-Wl,") for f in self._flags()]
        words = [f for f in flags if f.startswith(("-Wl,", "-fsanitize=")) or f in ("-pthread", "-rdynamic")]
        driver = os.path.join(self.tc.llvm_bin, "clang" if all(s.endswith(".c") for s in sources) else "clang++")
        own = [] if self.mode.compiler == "clang" else ["-lcudart"]
        self.commands.append(Link([driver, f"-fuse-ld={linker()}"] + words + options + objects + inputs +
                                  ["-o", target] + self._libraries() + own))

    def _link(self, flags):
        return flags if self.mode.compiler == "clang" else [w for f in flags for w in ("-Xcompiler", f)]

    def _linker(self, option, value):
        return [f"-Wl,{option},{value}"] if self.mode.compiler == "clang" else ["-Xlinker", f"{option},{value}"]

    def _source(self, name):
        return os.path.join(os.path.dirname(self.program.path), name)

    def _library(self, text, plugin):
        name, *sources = text.split()
        sources = [self._source(s) for s in sources]
        target = os.path.join(self.out, name)
        if self._in_steps() and plugin:
            self._build_in_steps(sources, [], target, ["-shared", f"-Wl,-soname,{name}"])
            return target
        # Those are not made with -fPIC.
        self.commands.append(self._compiler(sources, precompiled=False) + self._flags() +
                             self._plugin_flags(plugin, sources) + self._pass_through(["-fPIC"]) +
                             ["-shared"] + sources + ["-o", target] +
                             self._linker("-soname", name) + self._libraries())
        return target

    def build(self):
        texts = lambda name: list(self.program.texts(name, self.tags))
        linked = [self._library(t, True) for t in texts("SHARED")]
        linked += [self._library(t, False) for t in texts("SHARED-PLAIN")]
        for text in texts("DLOPEN"):
            self._library(text, True)
        for text in texts("DLOPEN-PLAIN"):
            self._library(text, False)
        objects = []
        for source in (self._source(s) for text in texts("WITH-PLAIN") for s in text.split()):
            objects.append(os.path.join(self.out, os.path.basename(source) + ".o"))
            self.commands.append(self._compiler([source]) + self._flags() +
                                 self._plugin_flags(False, [source]) + ["-c", source, "-o", objects[-1]])
        sources = [self.program.path] + [self._source(s) for text in texts("WITH") for s in text.split()]
        if self._in_steps():
            self._build_in_steps(sources, objects + linked, os.path.join(self.out, "app"), ["-Wl,-rpath,$ORIGIN"])
            return self.commands
        rpath = self._linker("-rpath", "$ORIGIN")
        if self.mode.compiler != "clang": # which does not know libcublas.so.13 for a library
            linked = [w for path in linked for w in ("-Xlinker", path)]
        # Objects first: no -x of a source's language may reach them.
        self.commands.append(self._compiler(sources) + self._flags() +
                             self._plugin_flags(True, sources) + sources + objects +
                             linked + ["-o", os.path.join(self.out, "app")] + rpath + self._libraries())
        return self.commands

    def key(self, commands):
        """Changes with anything that the outputs depend on."""
        digest = hashlib.sha256(repr(commands).encode())
        folder = os.path.dirname(self.program.path)
        inputs = os.path.join(folder, "Inputs")
        files = [self.program.path]
        for shared in {inputs, os.path.join(ROOT, "Inputs")}:
            if os.path.isdir(shared):
                files += sorted(os.path.join(shared, f) for f in os.listdir(shared))
        if self.instrumented or "carried" in self.tags:
            files += [self.tc.plugin(self.mode), os.path.join(INCLUDE, "gpuinstr", "gpuinstr.h")]
        if self.mode.compiler != "clang":
            files += headers.FOR_NVCC
        for name in files:
            if os.path.isfile(name):
                with open(name, "rb") as content:
                    digest.update(content.read())
        return digest.hexdigest()


def build(program, mode, twin, toolchain, out, instrumented, log):
    """Builds into `out` unless it is up to date. Returns the exit code; appends to `log`."""
    os.makedirs(out, exist_ok=True)
    builder = Builder(program, mode, twin, toolchain, out, instrumented)
    commands = builder.build()
    key, stamp = builder.key(commands), os.path.join(out, ".key")
    with open(os.path.join(out, ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == key:
            return 0
        for command in commands:
            log.append("$ " + shlex.join(command))
            command = command.expanded(out) if isinstance(command, Link) else command
            done = subprocess.run(command, cwd=out, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", check=False, timeout=300, env=compilers.environment())
            if done.stdout:
                log.append(done.stdout.rstrip())
            if done.returncode:
                return done.returncode
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(key)
    return 0


def programs(folder=ROOT):
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("Inputs", "support", "checker"))
        for name in sorted(files):
            if name.endswith(SUFFIXES):
                yield Program.read(os.path.join(base, name))


def all_tests(target, only="*"):
    for program in programs():
        for label, mode, twin in program.modes(target):
            if fnmatch.fnmatch(f"{program.name}:{label}", only):
                yield program, label, mode, twin


def command_build(options):
    toolchain = Toolchain(lib=os.path.join(options.build, "lib"), bin=os.path.join(options.build, "bin"),
                          cuda=options.cuda, cuda_lib=options.cuda_lib or os.path.join(options.cuda, "lib64"),
                          llvm_bin=options.llvm_bin, arch=options.arch, target=options.target,
                          static_libstdcxx=True)
    out = os.path.abspath(options.out)
    tests = list(all_tests(options.target, options.only))
    os.makedirs(os.path.join(out, "lib"), exist_ok=True)
    shutil.copytree(ROOT, os.path.join(out, "src"), dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("support", "checker", "*.py", "CMakeLists.txt"))
    rows, failures = [], []

    def one(test):
        program, label, mode, twin = test
        log, folder = [], os.path.join(program.name, label)
        for instrumented in (True, False):
            if mode.compiler == "nvcc19" and not os.path.exists(toolchain.plugin(mode)):
                return None
            where = os.path.join(out, "bin", folder, "" if instrumented else "plain")
            if build(program, mode, twin, toolchain, where.rstrip("/"), instrumented, log):
                failures.append(f"{program.name}:{label}\n" + "\n".join(log))
                return None
        source = os.path.join("src", os.path.relpath(program.path, ROOT))
        return "\t".join([f"{program.name}:{label}", source, f"bin/{folder}/app", f"bin/{folder}/plain/app",
                          ",".join(t for t in tags_of(program, mode, twin, options.target) if t != options.target)])

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = [row for row in pool.map(one, tests) if row]
    with open(os.path.join(out, "tests.tsv"), "w", encoding="utf-8") as table:
        table.writelines(row + "\n" for row in rows)
    for name in (os.path.join(toolchain.bin, "gpuinstr-expect"), os.path.join(toolchain.lib, "libgpuinstr_rt.so"),
                 os.path.join(toolchain.cuda_lib, "libcudart.so.13")):
        if os.path.exists(name):
            shutil.copy(name, os.path.join(out, "lib"))
    shutil.copy(os.path.join(HERE, "run-bundle"), os.path.join(out, "run"))
    for failure in failures:
        print("cannot build " + failure)
    print(f"{len(rows)} built, {len(failures)} not")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["list", "build"])
    parser.add_argument("--target", default="gpu", choices=["gpu", "simulator"])
    parser.add_argument("--only", default="*", help="glob on NAME:MODE")
    parser.add_argument("--out")
    parser.add_argument("--build", default="build")
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--cuda-lib")
    parser.add_argument("--llvm-bin", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--jobs", "-j", type=int, default=2)
    options = parser.parse_args()
    if options.command == "list":
        for program, label, _, _ in all_tests(options.target, options.only):
            print(f"{os.path.relpath(program.path, ROOT)}\t{label}")
        return 0
    if not options.out:
        parser.error("build wants --out DIR")
    return command_build(options)


if __name__ == "__main__":
    sys.exit(main())
