// Results that nobody looks at, of calls that fail.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: ignored-error proven function=main line=@call via=@copy via-function=upload count=3 error=cudaErrorInvalidValue
// EXPECT: ignored-error proven function=main line=@event count=1 error=cudaErrorInvalid*
// EXPECT-ALL
// EXPECT-SITE: kind=copy line=@call calls=3 failed=3
// EXPECT-SITE: kind=copy line=@good via=@copy calls=1 failed=0
// EXPECT-REPORT: ignored-error*x3*cudaErrorInvalidValue from cudaMemcpyAsync*ignored.cpp:{@call}*main
// EXPECT-REPORT: via ignored.cpp:{@copy} upload
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static void upload(void *d_target, const void *h_source, size_t bytes) {
#ifdef FIXED
  if (!d_target)
    return;
#endif
  cudaMemcpyAsync(d_target, h_source, bytes, cudaMemcpyHostToDevice, nullptr); // @copy
}

int main() {
  char h_source[64] = "data";
  void *d_target;
  CHECK(cudaMalloc(&d_target, 64));
  for (int i = 0; i < 3; ++i)
    upload(nullptr, h_source, 64); // @call
  upload(d_target, h_source, 64); // @good
#ifndef FIXED
  cudaEvent_t event = nullptr;
  cudaEventRecord(event, nullptr); // @event
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_target));
  puts("done");
}
