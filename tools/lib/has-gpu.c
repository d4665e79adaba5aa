// Exit code 0 when libcuda.so.1 can be loaded and shows at least one device.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

int main(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return 1;
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*count)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
  int devices = 0;
  if (!init || !count || init(0) != 0 || count(&devices) != 0)
    return 1;
  return devices > 0 ? 0 : 1;
}
