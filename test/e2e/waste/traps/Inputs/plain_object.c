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
#elif defined(IN_DATA)
typedef cudaError_t (*copy_t)(void *, const void *, size_t, enum cudaMemcpyKind);
copy_t copies[2] = {0, cudaMemcpy};
int raiseFlag(int *flag) {
  const int one = 1;
  return copies[1](flag, &one, sizeof one, cudaMemcpyHostToDevice);
}
#elif defined(IN_VECTOR)
/* As gcc -O3 -fPIC puts two addresses side by side. */
typedef cudaError_t (*copy_t)(void *, const void *, size_t, enum cudaMemcpyKind);
int raiseFlag(int *flag) {
  const int one = 1;
  copy_t copies[2];
  __asm__("movq cudaMemcpy@GOTPCREL(%%rip), %%xmm0\n movhps cudaGetDevice@GOTPCREL(%%rip), %%xmm0\n movups %%xmm0, %0"
          : "=m"(copies)
          :
          : "xmm0");
  return copies[0](flag, &one, sizeof one, cudaMemcpyHostToDevice);
}
#else
int raiseFlag(int *flag) {
  const int one = 1;
  return cudaMemcpy(flag, &one, sizeof one, cudaMemcpyHostToDevice);
}
#endif
