/* Loads each library named, lets it allocate and unloads it; says whether they lay at one place. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **names) {
  CUdevice device;
  CUcontext context;
  void *places[8];
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  for (int i = 1; i < count; ++i) {
    void *library = dlopen(names[i], RTLD_NOW);
    CUdeviceptr (*run)(void) = (CUdeviceptr(*)(void))dlsym(library, "run");
    places[i] = (void *)run;
    run();
    dlclose(library);
  }
  puts(places[1] == places[2] ? "one place" : "two places");
  return 0;
}
