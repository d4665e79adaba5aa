# lit's view of the end-to-end programs: one test a program and build mode.
# SPDX-License-Identifier: Apache-2.0
import glob
import os
import subprocess

import lit.formats
import lit.Test

import plan


class E2EFormat(lit.formats.TestFormat):
    """Builds a program plainly and instrumented, then asks gpuinstr-expect. A test is named
    FILE/MODE; plan.py knows the modes. \p sanitized is a build folder whose runtime and simulator
    are used instead, \p preload what a sanitizer wants to be loaded first (tools/sanitize)."""

    def __init__(self, paths, features, target, arch, options, sanitized="", preload=""):
        self.features, self.target, self.options = frozenset(features), target, options
        self.toolchain = plan.Toolchain(lib=paths["lib"], bin=paths["bin"], cuda=paths["cuda"],
                                        cuda_lib=paths["cuda_lib"], llvm_bin=paths["llvm_bin"], arch=arch,
                                        target=target)
        if target == "simulator":
            self.toolchain.precompiled = os.path.join(paths["build"], "test", "e2e", "precompiled")
        self.schema = os.path.join(paths["source"], "docs", "profile.schema.json")
        self.library_path = paths["cuda_lib"] if target == "gpu" else os.path.join(paths["lib"], "simulator")
        self.runtime, self.preload = "", preload
        if sanitized:
            self.library_path = os.path.join(sanitized, "lib", "simulator")
            self.runtime = os.path.join(sanitized, "lib", "libgpuinstr_rt.so")

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        folder = suite.getSourcePath(path_in_suite)
        for name in sorted(os.listdir(folder)):
            if name.endswith(plan.SUFFIXES) and name not in local_config.excludes:
                yield from self.getTestsForPath(suite, path_in_suite + (name,), lit_config, local_config)

    def getTestsForPath(self, suite, path_in_suite, lit_config, local_config):
        path = suite.getSourcePath(path_in_suite)
        if not os.path.isfile(path):  # FILE/MODE was named
            yield lit.Test.Test(suite, path_in_suite, local_config)
            return
        for label, _, _ in plan.Program.read(path).modes(self.target):
            yield lit.Test.Test(suite, path_in_suite + (label,), local_config)

    def execute(self, test, lit_config):
        *parts, label = test.path_in_suite
        program = plan.Program.read(test.suite.getSourcePath(parts))
        found = [m for m in program.modes(self.target) if m[0] == label]
        if not found:
            return lit.Test.UNRESOLVED, f"{program.path} has no mode '{label}'"
        _, mode, twin = found[0]
        tags = plan.tags_of(program, mode, twin, self.target)
        needs = {"plugin", "runtime", "cuda", "expect", self.target, *mode.needs}
        needs |= {w for text in program.texts("REQUIRES", tags) for w in text.split()}
        if needs - self.features:
            return lit.Test.UNSUPPORTED, "needs " + " ".join(sorted(needs - self.features))
        opened = [text for key in ("DLOPEN", "DLOPEN-PLAIN") for text in program.texts(key, tags)]
        if self.preload and opened:
            return lit.Test.UNSUPPORTED, "a sanitizer's dlopen() does not know the program's RUNPATH"
        out = test.suite.getExecPath(tuple(parts) + (label,))
        wanted, plain, log = [(out, mode, True)], out, []
        if beside := plan.reference(program, label, mode, twin, self.target):
            plain = os.path.join(test.suite.getExecPath(tuple(parts) + (beside[0],)), "plain")
            wanted.append((plain, beside[1], False))
        for where, which, instrumented in wanted:
            if plan.build(program, which, twin, self.toolchain, where, instrumented, log):
                return lit.Test.FAIL, "\n".join(log)
        return self.judge(program, tags, out, plain)

    def judge(self, program, tags, out, plain):
        command = [os.path.join(self.toolchain.bin, "gpuinstr-expect"), "--target", self.target, "--tags",
                   ",".join(t for t in tags if t != self.target), "--plain", os.path.join(plain, "app"),
                   "--scratch", os.path.join(out, "scratch"), "--library-path", self.library_path]
        if self.options:
            command += ["--options", self.options]
        if os.path.exists(self.schema):
            command += ["--schema", self.schema]
        if self.runtime:
            command += ["--runtime", self.runtime]
        command += [program.path, os.path.join(out, "app")]
        environment, complaints = self.sanitizer_environment(out)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False, env=environment)
        found = "".join(open(log, errors="replace").read() for log in sorted(glob.glob(complaints + ".*")))
        if found:
            return lit.Test.FAIL, "$ " + " ".join(command) + "\n" + done.stdout + found
        if done.returncode == 0:
            return lit.Test.PASS, ""
        code = lit.Test.UNSUPPORTED if done.returncode == 77 else lit.Test.FAIL
        return code, "$ " + " ".join(command) + "\n" + done.stdout

    def sanitizer_environment(self, out):
        """The environment of a run, and where a sanitizer writes what it finds: beside the scratch folder, whose
        files the checker counts."""
        environment, complaints = dict(os.environ), os.path.join(out, "sanitizer")
        if self.preload:
            for log in glob.glob(complaints + ".*"):
                os.remove(log)
            environment["LD_PRELOAD"] = self.preload
            for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
                environment[name] = environment.get(name, "") + ":log_path=" + complaints
        return environment, complaints
