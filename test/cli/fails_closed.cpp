// gpuinstr run --fail-on: a run in which nothing was watched fails, with a line that says why.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr %s -o %t/app %cudart
// RUN: %clangxx %s -o %t/plain %cudart

// Not instrumented: exit code 2 with --fail-on, the line alone with --json.
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 2)" %gpuinstr run --simulate --fail-on bugs %t/plain 2>%t/err
// RUN: %FileCheck %s --check-prefix=PLAIN --input-file %t/err
// RUN: %gpuinstr run --simulate --json %t/none.json %t/plain 2>%t/err
// RUN: %FileCheck %s --check-prefix=PLAIN --input-file %t/err
// RUN: test ! -e %t/none.json
// PLAIN: gpuinstr: no report was made: {{.*}}plain was not compiled with the plugin
// Also when the option comes from the environment, and through a shell.
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 2)" env GPUINSTR_OPTIONS=fail_on=leak %gpuinstr run --simulate -- sh -c %t/plain 2>%t/err
// RUN: %FileCheck %s --check-prefix=SCRIPT --input-file %t/err
// SCRIPT: gpuinstr: no report was made: {{.*}}sh was not compiled with the plugin, and no code that was
// No call, switched off, no runtime.
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 2)" %gpuinstr run --simulate --fail-on bugs %t/app nothing
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 2)" %gpuinstr run --simulate --fail-on bugs --set enabled=0 %t/app
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 2)" env GPUINSTR_RUNTIME=/nope %gpuinstr run --simulate --fail-on bugs %t/app
// The program's own failure stays what it is.
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 7)" %gpuinstr run --simulate --fail-on bugs %t/plain fail 7

// Watched: the finding decides, also without --.
// RUN: %gpuinstr run --simulate --report off --fail-on double-free %t/app 2>%t/err
// RUN: test ! -s %t/err
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 23)" %gpuinstr run --simulate --report off --fail-on leak %t/app
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != -15)" %gpuinstr run --simulate --fail-on leak %t/app raise a signal
// RUN: %gpuinstr run --simulate --report off --json=%t/a.json %t/app --json 0 && test -s %t/a.json

// Killed before anything of it was known: a line, and none of a program that nobody watches.
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != -9)" %gpuinstr run --simulate %t/app killed at its start 2>%t/err
// RUN: %FileCheck %s --check-prefix=KILLED --input-file %t/err
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != -9)" %gpuinstr run --simulate --fail-on bugs %t/app killed at its start 2>%t/err
// RUN: %FileCheck %s --check-prefix=KILLED --input-file %t/err
// KILLED-NOT: gpuinstr
// KILLED: gpuinstr: {{.*}}app (process {{[0-9]+}}) was killed by SIGKILL before its state was first written: no report
// KILLED-NOT: gpuinstr
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != -9)" %gpuinstr run --simulate %t/plain killed at its start 2>%t/err
// RUN: test ! -s %t/err

// Attached, and no call of the driver.
// RUN: %gpuinstr run --attach --simulate -- %t/plain nothing 2>&1 | %FileCheck %s --check-prefix=ATTACHED
// ATTACHED: gpuinstr: no report was made: no call of CUDA's driver was seen{{.*}} _exit() {{.*}} on the simulated device

// A file of rules that is not there is found before the program starts.
// RUN: not %gpuinstr run --simulate --suppressions %t/none.supp %t/app 2>&1 | %FileCheck %s --check-prefix=RULES
// RULES: gpuinstr: suppressions='{{.*}}none.supp': No such file
// RULES-NOT: gpuinstr

// No device: one line instead of findings, and exit code 2.
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 2)" env GPUINSTR_SIM=devices=0 %gpuinstr run --simulate --fail-on bugs %t/app 2>%t/err
// RUN: %FileCheck %s --check-prefix=NONE --input-file %t/err
// NONE: RESULT  no GPU here: gpuinstr run --simulate
// NONE-NOT: ignored-error
// NONE: SUMMARY: gpuinstr: no GPU here: gpuinstr run --simulate
// NONE: gpuinstr: no GPU here: gpuinstr run --simulate

// A program that holds CUDA's runtime cannot run on the simulator: a line, not a refusal from within.
// RUN: %clangxx %instr %s -o %t/static %cudart_static
// RUN: not %gpuinstr run --simulate %t/static 2>&1 | %FileCheck %s --check-prefix=STATIC
// STATIC: gpuinstr: --simulate: {{.*}}static holds CUDA's runtime itself: link it with -cudart shared
// RUN: %gpuinstr doctor %t/static | %FileCheck %s --check-prefix=DOCTOR
// DOCTOR: note  cudart {{.*}}static holds CUDA's runtime itself
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

int main(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "nothing"))
    return 0;
  if (argc == 5)
    std::raise(SIGKILL);
  float *d_lost;
  cudaMalloc(&d_lost, 4096);
  if (argc == 4)
    std::raise(SIGTERM);
  return argc == 3 ? std::atoi(argv[2]) : 0;
}
