# lit configuration of all compile-and-run tests: substitutions, features, and where the build is.
# SPDX-License-Identifier: Apache-2.0
#
# Run with `lit -v BUILD/test` or `lit -v test --param build=BUILD` (build/ when not given).
# Other parameters: gpu-arch=sm_90 compiles for another GPU; options="audit=full" stands before the
# options of each end-to-end program; gpu=1 runs on this machine's GPU what
# %sim otherwise runs on the simulator; sanitized=DIR preload=LIBRARY take runtime, simulator and
# command line from that build (tools/sanitize). docs/Testing.md lists the substitutions.

import os
import shutil
import subprocess
import sys

import lit.formats

if not hasattr(config, "gpuinstr"):
    # Started on the source folder: the build's site configuration knows the paths and comes back
    # here with them.
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = os.path.abspath(lit_config.params.get("build", os.path.join(source, "build")))
    site = os.path.join(build, "test", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal(f"{site} is missing: configure with CMake, or name the build folder with "
                         "--param build=DIR")
    lit_config.load_config(config, site)
    raise SystemExit

paths = config.gpuinstr
lib, tools, cuda = paths["lib"], paths["llvm_bin"], paths["cuda"]
llvm19 = "/usr/lib/llvm-19/bin"
arch = lit_config.params.get("gpu-arch", "sm_75")
on_gpu = lit_config.params.get("gpu", "0") == "1"

config.name = "gpuinstr"
config.suffixes = [".cu", ".cpp", ".c", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.join(paths["source"], "test")
config.test_exec_root = os.path.join(paths["build"], "test")
# lit's own shell: the same on every machine.
config.test_format = lit.formats.ShTest(execute_external=False)

# Nothing of the user's GPUINSTR_* or CUDA_* settings reaches a test (lit starts from a short list).
config.environment["PATH"] = os.pathsep.join([tools, config.environment.get("PATH", "")])
config.environment["NO_COLOR"] = "1"
# Compilers only: %sim starts programs without it.
sys.path.insert(0, os.path.join(paths["source"], "test", "e2e", "support"))
import compilers
config.environment.update(compilers.VARIABLES)
# Most programs here carry no kernels for the simulator: theirs count as done.
config.environment["GPUINSTR_SIM"] = "kernels=skip"

plugin = os.path.join(lib, "libgpuinstr.so")
plugin19 = os.path.join(lib, "libgpuinstr-19.so")
runtime = os.path.join(lib, "libgpuinstr_rt.so")
simulator = os.path.join(lib, "simulator")
expect = os.path.join(paths["bin"], "gpuinstr-expect")
cli = os.path.join(paths["bin"], "gpuinstr")
sanitized, preload = lit_config.params.get("sanitized", ""), lit_config.params.get("preload", "")
if sanitized:
    runtime = os.path.join(sanitized, "lib", "libgpuinstr_rt.so")
    simulator = os.path.join(sanitized, "lib", "simulator")
    cli = os.path.join(sanitized, "bin", "gpuinstr")
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            config.environment[name] = os.environ[name]
# Compilers and checkers run without it.
first = f"env LD_PRELOAD={preload} " if preload else ""
nvcc = os.path.join(cuda, "bin", "nvcc")
clangxx = os.path.join(tools, "clang++")
warn = "-Wno-unknown-cuda-version"


def found(path):
    return bool(path) and os.path.exists(path)


def starts_processes(mpirun):
    """Some containers have Open MPI and let it start nothing."""
    if not found(mpirun):
        return False
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    try:
        return subprocess.run([mpirun, "--oversubscribe", "-n", "2", "true"], env={**os.environ, **root},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


# ---- features: what a test may REQUIRE or call UNSUPPORTED ----
for name, present in {
    "plugin": found(plugin),
    "runtime": found(runtime),
    "cuda": found(os.path.join(cuda, "include", "cuda.h")),
    "nvcc": found(nvcc),
    "clang19": found(os.path.join(llvm19, "clang++")) and found(plugin19),
    "simulator": found(os.path.join(simulator, "libcudart.so.13")) and not on_gpu,
    "gpu": on_gpu,
    "expect": found(expect),
    "cli": found(cli),
    "ccache": found(shutil.which("ccache")),
    "chromium": any(found(shutil.which(name)) for name in ("chromium", "chromium-browser", "google-chrome", "chrome")),
    "sccache": found(shutil.which("sccache")),
    "clangd": found(os.path.join(tools, "clangd")) and found(os.path.join(tools, "clang-tidy")),
    "pkgconfig": found(shutil.which("pkg-config")),
    "dpkg": found(shutil.which("dpkg-deb")),
    "mpirun": starts_processes(shutil.which("mpirun")),
    "cmake": found(shutil.which("cmake")) and found(os.path.join(paths["build"], "cmake_install.cmake")),
    "lld": found(os.path.join(tools, "ld.lld")),
    "cccl": found(os.path.join(cuda, "include", "cccl", "thrust")),
    "llvm-" + paths["llvm_major"]: True,
}.items():
    if present:
        config.available_features.add(name)


# ---- substitutions ----
def substitute(name, text):
    # \b keeps %clangxx out of %clangxx_cuda and %plugin out of %plugin19.
    config.substitutions.append((f"%{name}\\b", text.replace("\\", "\\\\")))


# The folder has nothing in the place of what <cmath> takes along and no test uses.
nvcc_flags = f"-allow-unsupported-compiler -arch={arch} -isystem {paths['source']}/test/e2e/support/headers/nvcc"
run_library_path = os.path.join(cuda, "lib64") if on_gpu else simulator

substitute("clangxx_cuda", f"{clangxx} --cuda-path={cuda} --cuda-gpu-arch={arch} {warn}")
substitute("clangxx_plain", clangxx)
substitute("clangxx", f"{clangxx} -I{cuda}/include")
substitute("clang", f"{os.path.join(tools, 'clang')} -I{cuda}/include")
substitute("plugin19", plugin19)
substitute("plugin", plugin)
substitute("instr19", f"-fplugin={plugin19}")
substitute("instr", f"-fplugin={plugin}")
substitute("passplugin", f"-fpass-plugin={plugin}")
substitute("runtime", runtime)
substitute("cudart_static", f"-L{paths['cuda_lib']} -lcudart_static -ldl -lrt -lpthread")
substitute("cudart", f"-L{paths['cuda_lib']} -lcudart")
substitute("cudadrv", f"-L{paths['cuda_lib']}/stubs -lcuda")
substitute("cuda_root", cuda)
substitute("cccl", f"-isystem {cuda}/include/cccl")
substitute("nvcc19", f"{nvcc} -ccbin {llvm19}/clang++ {nvcc_flags}")
substitute("nvcc", f"{nvcc} -ccbin {clangxx} {nvcc_flags}")
substitute("nvcc_instr19", f"-Xcompiler -fplugin={plugin19}")
substitute("nvcc_instr", f"-Xcompiler -fplugin={plugin}")
substitute("sim", f"env {' '.join('-u ' + name for name in compilers.VARIABLES)} {first[4:]}LD_LIBRARY_PATH={run_library_path} GPUINSTR_RUNTIME={runtime}")
substitute("simlib", run_library_path)
substitute("expect", expect)
substitute("gpuinstr", first + cli)
substitute("bench", f"env GPUINSTR_BUILD={paths['build']} {paths['source']}/tools/bench/all")
substitute("cmake", shutil.which("cmake") or "cmake")
substitute("cpack", shutil.which("cpack") or "cpack")
substitute("clangd", os.path.join(tools, "clangd"))
substitute("clangtidy", os.path.join(tools, "clang-tidy"))
substitute("cmake_package", os.path.join(lib, "cmake", "gpuinstr"))
substitute("build", paths["build"])
substitute("include", os.path.join(paths["source"], "runtime", "include"))
substitute("nvcc_path", nvcc)
substitute("clang_path", os.path.join(tools, "clang"))
substitute("check_json", f"{expect} --schema {paths['source']}/docs/profile.schema.json")
for tool in ["FileCheck", "not", "count", "opt", "llc", "llvm-dis", "llvm-as", "llvm-nm", "llvm-ar",
             "llvm-readelf", "llvm-objdump", "llvm-objcopy", "llvm-dwarfdump", "llvm-strings",
             "llvm-lto2", "llvm-link"]:
    # (?![-\w]): %llvm-dis is not the start of another tool's name, nor is %not of %note.
    config.substitutions.append((f"%{tool}(?![-\\w])", os.path.join(tools, tool)))
# Not what PATH has: pyenv puts scripts there, which start thirty processes before Python.
config.substitutions.append(("%python", sys.executable))
