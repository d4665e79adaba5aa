// The driver API: a context, memory of three kinds, a stream.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=field function=main line=@alloc count=1 bytes=1048576 fix=*cuMemFree*on*it
// EXPECT: leak proven memory=pitched variable=image line=@pitch count=1
// EXPECT: leak proven memory=managed variable=shared line=@managed count=1 bytes=4096
// EXPECT: leak proven memory=pinned variable=staging line=@host count=1 bytes=8192 fix=*cuMemFreeHost*on*it
// EXPECT: leak proven memory=stream variable=stream line=@stream count=1 fix=*cuStreamDestroy*on*it
// EXPECT-ALL
// EXPECT-SITE: kind=alloc callee=cuMemAlloc* line=@alloc calls=1
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK_CU(call)                                                                             \
  if (CUresult r = (call)) {                                                                       \
    const char *name = "?";                                                                        \
    cuGetErrorName(r, &name);                                                                      \
    std::printf("%s: %s\n", #call, name);                                                          \
    std::exit(1);                                                                                  \
  }

int main() {
  CHECK_CU(cuInit(0));
  CUdevice device;
  CHECK_CU(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK_CU(cuDevicePrimaryCtxRetain(&context, device));
  CHECK_CU(cuCtxSetCurrent(context));

  CUdeviceptr field, image, shared, copy;
  size_t pitch;
  void *staging;
  CUstream stream;
  CHECK_CU(cuMemAlloc(&field, 1 << 20)); // @alloc
  CHECK_CU(cuMemAllocPitch(&image, &pitch, 1000, 10, 4)); // @pitch
  CHECK_CU(cuMemAllocManaged(&shared, 4096, CU_MEM_ATTACH_GLOBAL)); // @managed
  CHECK_CU(cuMemAllocHost(&staging, 8192)); // @host
  CHECK_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING)); // @stream
  CHECK_CU(cuMemAlloc(&copy, 8192));
  CHECK_CU(cuMemcpyHtoDAsync(copy, staging, 8192, stream));
  CHECK_CU(cuStreamSynchronize(stream));
  CHECK_CU(cuMemFree(copy));
#ifdef FIXED
  CHECK_CU(cuMemFree(field));
  CHECK_CU(cuMemFree(image));
  CHECK_CU(cuMemFree(shared));
  CHECK_CU(cuMemFreeHost(staging));
  CHECK_CU(cuStreamDestroy(stream));
#endif
  std::puts("done");
  return 0;
}
