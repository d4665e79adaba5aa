/* A C program that uses the runtime API and the optional header. */
/* SPDX-License-Identifier: Apache-2.0 */
/* FLAGS: -I%gpuinstr */
/* TWIN: FIXED */
/* EXPECT: leak proven memory=device variable=d_samples type=float function=run line=@leak count=1 bytes=4000 elements=1000 */
/* EXPECT: ignored-error proven line=@ignored count=1 error=cudaErrorInvalidValue */
/* EXPECT-ALL */
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>

static void run(size_t n) {
  float *d_samples = NULL;
  CHECK(cudaMalloc((void **)&d_samples, n * sizeof(float))); /* @leak */
  gpuinstr_push_range("run");
  CHECK(cudaMemset(d_samples, 0, n * sizeof(float)));
  gpuinstr_pop_range();
#ifdef FIXED
  CHECK(cudaFree(d_samples));
#else
  cudaMemset(NULL, 0, 16); /* @ignored */
#endif
}

int main(void) {
  run(1000);
  puts("done");
  return 0;
}
