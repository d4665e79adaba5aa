// What readers of a profile say of a wrapper's calls: the line that uses it, and the way to the call.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: plugin, cuda, simulator, cli
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx %instr %s -o %t/app %cudart
// RUN: %gpuinstr run --simulate --report off --json %t/a.json -- %t/app
// RUN: %gpuinstr annotate %t/a.json --source / | tr -s ' ' | %FileCheck %s --check-prefix=LINES
// LINES: 1 4.10 kB {{.*}}Buffer<float> kept(1024); // @kept
// LINES-NEXT: > cudaMalloc via wrappers.cpp:{{[0-9]+}} Buffer<float>::Buffer{{$}}
// LINES-NEXT: leak: 4.10 kB x1 kept
// LINES: 3 12.3 kB {{.*}}kept.upload(host); // @twice
// LINES-NEXT: > cudaMemcpy via wrappers.cpp:{{[0-9]+}} Buffer<float>::upload{{$}}
// RUN: %gpuinstr sarif %t/a.json | %FileCheck %s --check-prefix=SARIF
// SARIF: "ruleId": "leak"
// SARIF: "relatedLocations"
// SARIF: "text": "the call itself"

// A rule that names the wrapper, and one that names the line's function.
// RUN: echo 'leak:Buffer<float>::Buffer' > %t/inside && echo 'leak:main:kept' > %t/line && echo 'leak:other' > %t/none
// RUN: %gpuinstr run --simulate --set suppressions=%t/inside -- %t/app 2>&1 | %FileCheck %s --check-prefix=SILENT
// RUN: %gpuinstr run --simulate --set suppressions=%t/line -- %t/app 2>&1 | %FileCheck %s --check-prefix=SILENT
// RUN: %gpuinstr run --simulate --set suppressions=%t/none -- %t/app 2>&1 | %FileCheck %s --check-prefix=LEAK
// SILENT-NOT: {{^}} leak
// SILENT: SUPPRESSED 1
// LEAK: leak {{.*}} kept {{.*}} wrappers.cpp:
// LEAK-NEXT: via wrappers.cpp:{{[0-9]+}} Buffer<float>::Buffer

// Ranks are united by the line that uses the wrapper.
// RUN: %gpuinstr run --simulate --report off --json %t/b.json -- %t/app
// RUN: %gpuinstr merge %t/a.json %t/b.json -o %t/merged.json
// RUN: %gpuinstr report %t/merged.json --format json | %FileCheck %s --check-prefix=MERGED
// RUN: %gpuinstr report %t/merged.json | %FileCheck %s --check-prefix=RANKS
// RANKS: leak {{.*}}x2{{.*}}kept
// RANKS: via wrappers.cpp:{{[0-9]+}} Buffer<float>::Buffer
// MERGED: "via": [
#include <cuda_runtime.h>
#include <vector>

template <class T> class Buffer {
public:
  explicit Buffer(size_t n) : n(n) { (void)!cudaMalloc((void **)&ptr, n * sizeof(T)); }
  void upload(const std::vector<T> &h) {
    (void)!cudaMemcpy(ptr, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }

private:
  size_t n;
  T *ptr;
};

int main() {
  std::vector<float> host(1024);
  Buffer<float> kept(1024); // @kept
  for (int i = 0; i < 3; ++i) {
    host[i] = float(i) + 1;
    kept.upload(host); // @twice
  }
}
