/* Uses CUDA without naming it to the linker: as a library does that has the runtime linked in.
   SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stddef.h>

typedef int copy_t(void *, const void *, size_t, int);
static copy_t *copy;

int lookedUpInit(void) {
  void *runtime = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (!runtime)
    runtime = dlopen("libcudart.so", RTLD_NOW | RTLD_NOLOAD);
  copy = runtime ? (copy_t *)dlsym(runtime, "cudaMemcpy") : NULL;
  return copy == NULL;
}
int lookedUpRaise(int *flag) {
  const int one = 1;
  return copy(flag, &one, sizeof one, 1);
}
