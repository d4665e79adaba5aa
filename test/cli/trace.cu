// trace=PATH on the simulator, and every format that gpuinstr trace writes, read back by its own reader.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx_cuda %instr -I%include %s -o %t/app %cudart -pthread
// RUN: %gpuinstr run --simulate --report off --trace %t/a.trace --set gpu_time=sampled -- %t/app
// RUN: %gpuinstr trace %t/a.trace -o %t/a.json 2>%t/err
// RUN: %FileCheck %s --check-prefix=SAID --input-file %t/err
// SAID: gpuinstr: {{[0-9]+}} events of 1 process in {{.*}}a.json
// SAID-NOT: gpuinstr
// RUN: %python %S/Inputs/trace.py json %t/a.json
// RUN: %gpuinstr trace %t/a.trace -o %t/a.sqlite
// RUN: %python %S/Inputs/trace.py sqlite %t/a.sqlite
// RUN: %gpuinstr trace %t/a.trace -o %t/a.csv
// RUN: %python %S/Inputs/trace.py csv %t/a.csv
// RUN: %gpuinstr trace %t/a.trace -o %t/a.perfetto-trace
// RUN: %python %S/Inputs/trace.py perfetto %t/a.perfetto-trace
// RUN: %gpuinstr trace %t/a.trace -o %t/a.parquet
// RUN: %python %S/Inputs/trace.py parquet %t/a.parquet

// Ranks: one file each, one timeline of them.
// RUN: env RANK=0 %gpuinstr run --simulate --report off --set trace=%t/ranks/%%r.trace -- %t/app
// RUN: env RANK=1 %gpuinstr run --simulate --report off --set trace=%t/ranks/%%r.trace -- %t/app
// RUN: ls %t/ranks | %count 2
// RUN: %gpuinstr trace %t/ranks -o %t/ranks.csv
// RUN: %python %S/Inputs/trace.py ranks %t/ranks.csv

// A process that is killed, one that forks, one that becomes another program, one that is paused.
// RUN: %not --crash %gpuinstr run --simulate --report off --set trace=%t/killed.trace -- %t/app killed
// RUN: %gpuinstr trace %t/killed.trace -o %t/killed.csv 2>&1 | %FileCheck %s --check-prefix=KILLED
// KILLED: killed.trace: without an end: the process was killed
// RUN: %python %S/Inputs/trace.py csv %t/killed.csv
// RUN: %gpuinstr run --simulate --report off --set trace=%t/forked/%%p.trace -- %t/app forked
// RUN: ls %t/forked | %count 2
// RUN: %gpuinstr trace %t/forked -o %t/forked.csv
// RUN: %python %S/Inputs/trace.py forked %t/forked.csv
// RUN: %gpuinstr run --simulate --report off --set trace=%t/exec/a.trace -- %t/app exec
// RUN: ls %t/exec | %count 2
// RUN: %gpuinstr run --simulate --report off --set trace=%t/paused.trace -- %t/app paused
// RUN: %gpuinstr trace %t/paused.trace -o %t/paused.csv
// RUN: %python %S/Inputs/trace.py csv %t/paused.csv

// At its limit the trace stops and says so; only= leaves out what it leaves out of the report.
// RUN: %gpuinstr run --simulate --report off --json %t/small.json --set trace=%t/small.trace --set trace_size=4K -- %t/app
// RUN: %gpuinstr trace %t/small.trace -o %t/small.csv 2>&1 | %FileCheck %s --check-prefix=SMALL
// SMALL: small.trace: {{[0-9]+}} events were lost
// RUN: grep -c 'trace: [0-9]* events are not in it: trace_size was reached' %t/small.json
// RUN: %gpuinstr run --simulate --report off --set trace=%t/only.trace --set only=main -- %t/app
// RUN: %gpuinstr trace %t/only.trace -o %t/only.csv
// RUN: %python %S/Inputs/trace.py only %t/only.csv

// No CUDA call, no file; no folder, one line.
// RUN: %gpuinstr run --simulate --report off --set trace=%t/none.trace -- %t/app idle
// RUN: %not ls %t/none.trace
// RUN: %gpuinstr run --simulate --report off --set trace=/dev/null/a.trace -- %t/app 2>&1 | %FileCheck %s --check-prefix=NOWHERE
// NOWHERE: gpuinstr: no trace: cannot write '/dev/null/a.trace'
// NOWHERE-NOT: gpuinstr:
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <gpuinstr/gpuinstr.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr int N = 1 << 14;

__global__ void saxpy(float *y, const float *x, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    y[i] += a * x[i];
}

static void work(int launches) {
  std::vector<float> h(N, 1);
  float *d_x, *d_y;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&d_x, N * sizeof(float));
  cudaMalloc(&d_y, N * sizeof(float));
  cudaMemsetAsync(d_y, 0, N * sizeof(float), stream);
  cudaMemcpyAsync(d_x, h.data(), N * sizeof(float), cudaMemcpyHostToDevice, stream);
  gpuinstr_push_range("launches");
  for (int i = 0; i < launches; ++i)
    saxpy<<<N / 256, 256, 0, stream>>>(d_y, d_x, 2);
  gpuinstr_pop_range();
  cudaStreamSynchronize(stream);
  cudaMemcpy(h.data(), d_y, N * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(d_y);
  cudaStreamDestroy(stream);
}

int main(int argc, char **argv) {
  auto is = [&](const char *word) { return argc == 2 && !std::strcmp(argv[1], word); };
  if (is("idle"))
    return 0;
  if (is("forked")) {
    pid_t child = fork();
    if (child == 0) {
      work(3);
      std::exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  std::thread worker(work, 5);
  worker.join();
  work(10);
  if (cudaMemcpy(nullptr, nullptr, 64, cudaMemcpyKind(17)) == cudaSuccess)
    return 1;
  cudaDeviceSynchronize();
  if (is("killed") || is("exec"))
    usleep(500000); // the writing thread comes by
  if (is("killed"))
    raise(SIGKILL);
  if (is("exec"))
    execl(argv[0], argv[0], nullptr);
  if (is("paused")) {
    gpuinstr_pause();
    work(7);
    gpuinstr_resume();
  }
}
