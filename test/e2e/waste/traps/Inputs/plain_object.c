/* Part of the program that is compiled without the plugin: by another compiler, or a static library.
   SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>

#ifdef ASKS
int raiseFlag(int *flag) {
  int device = 0, count = 0;
  (void)flag;
  return cudaGetDevice(&device) || cudaGetDeviceCount(&count) || device >= count;
}
#elif defined(OWN)
int raiseFlag(int *flag) {
  static int *own;
  const int one = 1;
  (void)flag;
  return (!own && cudaMalloc((void **)&own, sizeof one)) ||
         cudaMemcpy(own, &one, sizeof one, cudaMemcpyHostToDevice);
}
#else
int raiseFlag(int *flag) {
  const int one = 1;
  return cudaMemcpy(flag, &one, sizeof one, cudaMemcpyHostToDevice);
}
#endif
