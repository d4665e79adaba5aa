// wrapper=GLOB charges an allocator's sites to the lines that call it, altogether.
// SPDX-License-Identifier: Apache-2.0
// WITH: Inputs/devalloc.cpp
// PLUGIN: -fplugin-arg-gpuinstr-wrapper=dev::*
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=nodes function=main line=@leak count=1 bytes=65536
// EXPECT-ALL
// EXPECT-NO: leak function=dev::*
// EXPECT-REPORT: leak *nodes*wrapper.cpp:{@leak}*main
// EXPECT-NO-REPORT: via devalloc.cpp
#include "Inputs/devalloc.h"

#include <cstdio>

int main() {
  void *edges = dev::allocate(32768);
  void *nodes = dev::allocate(65536); // @leak
  if (!dev::release(edges))
    return 1;
#ifdef FIXED
  dev::release(nodes);
#else
  (void)nodes;
#endif
  std::puts("built");
}
