// Functions of a C++20 module, whose symbols name it, are described where they are emitted; a wrapper of CUDA's
// headers in its global fragment is charged to its caller.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx -std=c++20 %instr --precompile %S/Inputs/device.cppm -o %t.pcm
// RUN: %clangxx -std=c++20 %instr -fplugin-arg-gpuinstr-dump-ast -fmodule-file=device.memory=%t.pcm -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx_plain -std=c++20 -c %t.pcm -o %t.module.o
// RUN: %clangxx_plain %t.o %t.module.o -o %t %cudart
// RUN: %gpuinstr sites %t | %FileCheck %s --check-prefix=SITES
import device.memory;
int main() {
  // CHECK-DAG: modules.cpp:[[@LINE+1]]:20 main calls dev::Buffer<int>::Buffer(3) variable=b type=dev::Buffer<int>
  dev::Buffer<int> b(3);
  int host[3] = {};
  b.put(host, 3);
}
// CHECK-DAG: device.cppm:7:31 dev::Buffer<int>::Buffer calls cudaMalloc(&p | n * sizeof(T)) variable=this->p type=int discarded
// CHECK-DAG: device.cppm:8:15 dev::Buffer<int>::~Buffer calls cudaFree(p) variable=this->p type=int discarded
// CHECK-DAG: device.cppm:9:39 dev::Buffer<int>::put calls cudaMemcpy({{.*}}) variable=this->p type=int discarded
// CHECK: joined {{[0-9]+}}, unjoined 0
// SITES-NOT: cuda_runtime.h
// SITES-DAG: device.cppm:7:31: alloc cudaMalloc(&p, n * sizeof(T)) -> this->p : int in dev::Buffer<int>::Buffer
// SITES-DAG: device.cppm:8:15: free cudaFree(this->p) -> this->p : int in dev::Buffer<int>::~Buffer
