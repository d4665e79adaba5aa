// Status codes are no errors: a busy stream, memory that is registered already.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-CLEAN
// EXPECT-NO: ignored-error
// EXPECT-SITE: kind=query line=@query calls=1
// EXPECT-STDOUT: busy
#include "../Inputs/check.h"

#include <atomic>
#include <cuda_runtime.h>
#include <thread>

static std::atomic<bool> go;

static void wait(void *) {
  while (!go)
    std::this_thread::yield();
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaLaunchHostFunc(stream, wait, nullptr));
  CHECK(cudaEventRecord(event, stream));
  cudaStreamQuery(stream); // @query
  cudaEventQuery(event);
  if (cudaStreamQuery(stream) == cudaErrorNotReady)
    puts("busy");
  go = true;
  CHECK(cudaStreamSynchronize(stream));

  static char page[8192];
  CHECK(cudaHostRegister(page, sizeof(page), cudaHostRegisterDefault));
  cudaHostRegister(page, sizeof(page), cudaHostRegisterDefault);
  CHECK(cudaHostUnregister(page));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
}
