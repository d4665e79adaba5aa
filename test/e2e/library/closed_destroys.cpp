// Made here, destroyed by a library without gpuinstr that is closed before the end: nothing proves
// a leak of streams or events.
// SPDX-License-Identifier: Apache-2.0
// DLOPEN-PLAIN: libhandles.so Inputs/handles.cpp
// EXPECT-NO: leak proven
// EXPECT-SITE: kind=create memory=stream line=@stream calls=1
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

int main() {
  cudaStream_t stream;
  cudaEvent_t event;
  CHECK(cudaStreamCreate(&stream)); // @stream
  CHECK(cudaEventCreate(&event));
  void *library = dlopen("libhandles.so", RTLD_NOW | RTLD_LOCAL);
  auto destroy = reinterpret_cast<int (*)(cudaStream_t, cudaEvent_t)>(
      library ? dlsym(library, "foreignDestroy") : nullptr);
  if (!destroy || destroy(stream, event) || dlclose(library))
    return 1;
  puts("done");
}
