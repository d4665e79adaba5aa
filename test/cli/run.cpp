// gpuinstr run: the program's own exit code and output, its report, options from the command line.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr %s -o %t/app %cudart
// RUN: %gpuinstr run --simulate --json %t/a.json -- %t/app >%t/out 2>%t/err
// RUN: %FileCheck %s --check-prefix=OUT --input-file %t/out
// RUN: %FileCheck %s --check-prefix=REPORT --input-file %t/err
// The same report from the file.
// RUN: %gpuinstr report %t/a.json | %FileCheck %s --check-prefix=REPORT
// OUT: arguments: 1
// REPORT: leak {{.*}} d_lost {{.*}} run.cpp:[[#@LINE+31]]

// What follows -- is the program's, even what looks like ours; its exit code comes through.
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 7)" %gpuinstr run --simulate --report off -- %t/app --json 7
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != -15)" %gpuinstr run --simulate --report off -- %t/app signal me now
// RUN: %python -c "import subprocess,sys; sys.exit(subprocess.call(sys.argv[1:]) != 23)" %gpuinstr run --simulate --report off --fail-on leak -- %t/app
// RUN: %gpuinstr run --simulate --report off --fail-on double-free -- %t/app

// What watching costs, against the same program switched off.
// RUN: %gpuinstr run --simulate --compare=5 -- %t/app | %FileCheck %s --check-prefix=COMPARE
// COMPARE: plain
// COMPARE-NEXT: instrumented
// COMPARE-NEXT: difference {{.*}} 5 pairs

// The sites are in the binary, stripped or not.
// RUN: %llvm-objcopy --strip-all %t/app %t/stripped
// RUN: %gpuinstr sites %t/app > %t/sites
// RUN: %gpuinstr sites %t/stripped | diff %t/sites -
// RUN: %FileCheck %s --check-prefix=SITES --input-file %t/sites
// SITES: run.cpp: 3 sites
// SITES: run.cpp:[[#@LINE+11]]:{{.*}} alloc cudaMalloc(&d_lost, 4096) -> d_lost
// RUN: %gpuinstr doctor %t/app | %FileCheck %s --check-prefix=DOCTOR
// DOCTOR: ok{{ +}}attach {{.*}}gpuinstr run --attach
// DOCTOR: ok{{ +}}program {{.*}} 1 unit, 3 sites
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main(int argc, char **argv) {
  float *d_lost, *d_kept;
  if (cudaMalloc(&d_lost, 4096) || cudaMalloc(&d_kept, 64) || cudaFree(d_kept))
    return 1;
  std::printf("arguments: %d\n", argc);
  if (argc == 4)
    std::raise(SIGTERM);
  return argc == 3 ? std::atoi(argv[2]) : 0;
}
