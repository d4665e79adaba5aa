// Functions that check calls, as C++ programs write them: templates, members, exceptions, lambdas.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx %instr -O2 -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-wrapper=checkNamed -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck --check-prefix=NAMED %s
#include <cuda_runtime.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

template <class T> void checkCall(T result, const char *call, const char *file, int line) {
  cudaError_t last = cudaGetLastError();
  if (result != cudaSuccess || last != cudaSuccess) {
    std::cerr << file << ":" << line << ": " << call << ": " << cudaGetErrorString(last)
              << std::endl;
    throw std::runtime_error(std::string(call) + cudaGetErrorName(last));
  }
}
#define CHECK_CALL(call) checkCall((call), #call, __FILE__, __LINE__)

// CHECK-DAG: alloc cudaMalloc{{.*}} in Buffer<float>::Buffer [cuda-error wrapper]
// CHECK-DAG: free cudaFree{{.*}} in Buffer<float>::~Buffer [cuda-error wrapper]
// CHECK-DAG: copy cudaMemcpy(this->ptr, {{.*}} in Buffer<float>::upload [cuda-error wrapper]
template <class T> class Buffer {
public:
  explicit Buffer(size_t n) : n(n) { CHECK_CALL(cudaMalloc(&ptr, n * sizeof(T))); }
  ~Buffer() noexcept(false) { CHECK_CALL(cudaFree(ptr)); }
  void upload(const std::vector<T> &h) {
    CHECK_CALL(cudaMemcpy(ptr, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }

private:
  T *ptr = nullptr;
  size_t n;
};
template class Buffer<float>;

// The object is given: its own check is one all the same, not a wrapper three times.
// CHECK-DAG: copy cudaMemcpy({{.*}} in Device::send [cuda-error wrapper]
// CHECK-DAG: caller Device::check({{.*}} in Device::send{{$}}
// CHECK-DAG: copy cudaMemcpy({{.*}} in Device::sendNow [cuda-error]
struct Device {
  cudaError_t last = cudaSuccess;
  void check(cudaError_t status) {
    last = status != cudaSuccess ? status : cudaGetLastError();
    if (last != cudaSuccess)
      throw 1;
  }
  void checkNow(cudaError_t status) {
    check(status);
    check(cudaDeviceSynchronize());
  }
  void send(float *to, const float *from, size_t n);
  void sendNow(float *to, const float *from, size_t n);
};
void Device::send(float *to, const float *from, size_t n) {
  check(cudaSetDevice(0));
  check(cudaMemcpy(to, from, n, cudaMemcpyHostToDevice));
  check(cudaGetLastError());
}
void Device::sendNow(float *to, const float *from, size_t n) {
  checkNow(cudaMemcpy(to, from, n, cudaMemcpyHostToDevice));
}

// CHECK-DAG: copy cudaMemcpy({{.*}} in fetch [cuda-error wrapper]
void fetch(float *to, const float *from) {
  auto check = [](cudaError_t status) {
    if (status != cudaSuccess || cudaGetLastError() != cudaSuccess)
      throw 1;
  };
  check(cudaMemcpy(to, from, 64, cudaMemcpyDeviceToHost));
}

// CHECK-DAG: launch cudaLaunchKernel(kernel,{{.*}} in launch [{{.*}}wrapper]
void launch(const void *kernel, void **arguments) {
  CHECK_CALL(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, 0));
}

// By name it is a wrapper, as are its users.
// NAMED-DAG: get-error cudaGetLastError{{.*}} in checkNamed [{{.*}}wrapper]
// NAMED-DAG: caller checkNamed({{.*}} in usesNamed [wrapper]
void checkNamed(const char *) { (void)(cudaGetLastError() != cudaSuccess); }
void usesNamed(const char *text) { checkNamed(text); }
