// A page within a download's destination is taken away before this thread waits for the copy, which
// another one has seen the end of: nothing of it is read any more.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda -pthread
// OPTIONS: audit=full
// EXPECT-STDOUT: 12
#include "../Inputs/kernel.h"

#include <cuda.h>
#include <sys/mman.h>
#include <thread>

__host__ __device__ inline void fillAt(unsigned i, int *p, int value) { p[i] = value; }
__global__ void fill(int *p, int value) { fillAt(globalThread(), p, value); }
SIMULATED(fill, fillAt)

/// Memory that no cudaMalloc made: what copies bring from there the host's bytes tell.
struct Mapped {
  CUmemGenericAllocationHandle handle;
  CUdeviceptr address;
  size_t bytes;
  Mapped() {
    CUmemAllocationProp property{};
    property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    cuMemGetAllocationGranularity(&bytes, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    CUmemAccessDesc access{property.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    cuMemCreate(&handle, bytes, &property, 0);
    cuMemAddressReserve(&address, bytes, 0, 0, 0);
    cuMemMap(address, bytes, 0, handle, 0);
    cuMemSetAccess(address, bytes, &access, 1);
  }
  ~Mapped() {
    cuMemUnmap(address, bytes);
    cuMemRelease(handle);
    cuMemAddressFree(address, bytes);
  }
};

int main() {
  CHECK(cudaFree(nullptr));
  constexpr size_t Bytes = 1 << 20;
  Mapped device;
  cudaStream_t stream;
  cudaEvent_t copied;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&copied));
  auto *host = static_cast<char *>(
      mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(cudaHostRegister(host, Bytes, 0));
  int right = 0;
  for (int round = 0; round < 12; ++round) {
    mprotect(host, Bytes, PROT_READ | PROT_WRITE);
    fill<<<Bytes / 1024, 256, 0, stream>>>(reinterpret_cast<int *>(device.address), 0x07070707);
    CHECK(cudaMemcpyAsync(host, reinterpret_cast<void *>(device.address), Bytes,
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(copied, stream));
    std::thread([&] { CHECK(cudaEventSynchronize(copied)); }).join();
    right += host[5] == 7;
    mprotect(host + Bytes / 2, 4096, PROT_NONE);
    CHECK(cudaStreamSynchronize(stream));
  }
  mprotect(host, Bytes, PROT_READ | PROT_WRITE);
  CHECK(cudaHostUnregister(host));
  munmap(host, Bytes);
  CHECK(cudaEventDestroy(copied));
  CHECK(cudaStreamDestroy(stream));
  printf("%d\n", right);
}
