/* Built twice with other names and lines: what is unloaded and what is loaded in its place. */
#include <cuda.h>
#if PART == 1
CUdeviceptr first(void) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, 4096);
  return memory;
}
CUdeviceptr run(void) { return first(); }
#else

CUdeviceptr second(void) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, 4096);
  return memory;
}
CUdeviceptr run(void) { return second(); }
#endif
