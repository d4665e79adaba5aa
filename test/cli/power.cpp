// Power and clocks by a stand-in for libnvidia-ml.so.1: report, profile, trace; silence where a figure would not be
// that of a whole device.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr %s -o %t/app %cudart -ldl

// The program waits until the readings reach 1.1 s, so the load of this machine does not matter.
// RUN: env GPUINSTR_SIM=devices=2:power=300,reasons=24 %gpuinstr run --simulate --json %t/a.json --trace %t/a.trace -- %t/app 1100 2 2>%t/err
// RUN: tr -s ' \n' ' ' <%t/err | %FileCheck %s
// CHECK: POWER 0 {{[0-9.]+}} J in {{[0-9.]+}} s; 300 W on average, 300 W at most; utilisation 87 %; SM clock {{[0-9]+}} MHz (1755 to 1980), held back by power cap in {{[0-9]+}} % of readings, by temperature in {{[0-9]+}} % of readings (whole device)
// CHECK: POWER 1 {{[0-9.]+}} J in {{[0-9.]+}} s; 310 W on average, 310 W at most;
// RUN: %python %S/Inputs/power.py profile %t/a.json
// RUN: %gpuinstr report %t/a.json | tr -s ' \n' ' ' | %FileCheck %s
// What reading cost is told apart.
// RUN: %gpuinstr report --verbose %t/a.json | tr -s ' \n' ' ' | %FileCheck %s --check-prefix=COST
// COST: own cost: {{.*}}telemetry

// Tracks of their own beside the calls.
// RUN: %gpuinstr trace %t/a.trace -o %t/trace.json
// RUN: %python %S/Inputs/power.py chrome %t/trace.json
// RUN: %gpuinstr trace %t/a.trace -o %t/a.perfetto-trace
// RUN: grep -c 'GPU 1 power' %t/a.perfetto-trace
// RUN: grep -c 'GPU 1 SM clock' %t/a.perfetto-trace

// The library's start is no reading: the second one does not wait until the budget has earned it.
// RUN: env GPUINSTR_SIM=power=300,start=200 %gpuinstr run --simulate --set budget=20 -- %t/app 350 1 2>&1 | %FileCheck %s --check-prefix=SLOW
// SLOW: POWER {{.*}} J in

// The runs below begin to read after 0.1 s: budget=20 has earned by then what the library costs.
// Nothing for MIG, a virtual GPU, without a driver behind it, switched off, without a budget.
// RUN: env GPUINSTR_SIM=power=300,mig %gpuinstr run --simulate --set budget=20 --json %t/mig.json -- %t/app 350 0 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: env GPUINSTR_SIM=power=300,vgpu %gpuinstr run --simulate --set budget=20 -- %t/app 350 0 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %gpuinstr run --simulate --set budget=20 -- %t/app 350 0 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: env GPUINSTR_SIM=power=300 %gpuinstr run --simulate --set telemetry=off --set budget=20 -- %t/app 350 0 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: env GPUINSTR_SIM=power=300 %gpuinstr run --simulate --set budget=0 -- %t/app 350 0 2>&1 | %FileCheck %s --check-prefix=NONE
// NONE-NOT: POWER
// NONE: SUMMARY
// RUN: %python %S/Inputs/power.py none %t/mig.json
// ... and where there is no library.
// RUN: mkdir %t/lib && ln -s %simlib/libcuda.so.1 %simlib/libcudart.so.13 %t/lib
// RUN: env LD_LIBRARY_PATH=%t/lib GPUINSTR_RUNTIME=%runtime GPUINSTR_OPTIONS=budget=20 GPUINSTR_SIM=power=300 %t/app 350 0 2>&1 | %FileCheck %s --check-prefix=NONE

// A child of a process that has begun to read leaves the library alone; one that was forked before reads itself.
// RUN: env GPUINSTR_SIM=power=300 %gpuinstr run --simulate --report off --set budget=20 --json %t/late.%%p.json -- %t/app 300 1 late
// RUN: env GPUINSTR_SIM=power=300 %gpuinstr run --simulate --report off --set budget=20 --json %t/early.%%p.json -- %t/app 300 1 early
// RUN: %python %S/Inputs/power.py early %t
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

/// Sleeps so long, and until the runtime's readings of as many devices reach as far.
static void wait(unsigned ms, unsigned devices) {
  usleep(ms * 1000);
  for (unsigned device = 0, tries = 0; device < devices && tries < 6000; ++tries) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOLOAD | RTLD_LAZY);
    auto *reach = library ? reinterpret_cast<unsigned (*)(unsigned)>(
                                dlsym(library, "gpuinstr_simulator_power_ms"))
                          : nullptr;
    if (reach && reach(device) >= ms)
      ++device;
    else
      usleep(10000);
  }
}

static void use(unsigned devices) {
  for (unsigned device = 0; device <= (devices ? devices - 1 : 0); ++device) {
    void *p;
    cudaSetDevice(int(device));
    cudaMalloc(&p, 64);
    cudaMemset(p, 0, 64);
    cudaFree(p);
  }
}

int main(int argc, char **argv) {
  unsigned ms = unsigned(std::atoi(argv[1])), devices = unsigned(std::atoi(argv[2]));
  bool late = argc > 3 && !std::strcmp(argv[3], "late"), early = argc > 3 && !late;
  if (early && fork() == 0) {
    use(devices);
    wait(ms, devices);
    return 0;
  }
  use(devices);
  wait(ms, devices);
  if (late && fork() == 0) {
    use(0); // refused: CUDA does not outlive fork
    return 0;
  }
  if (early || late)
    ::wait(nullptr);
}
