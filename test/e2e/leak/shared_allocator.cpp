// The allocator lives in another instrumented library: the caller is named across it.
// SPDX-License-Identifier: Apache-2.0
// SHARED: libdevalloc.so Inputs/devalloc.cpp
// TWIN: FIXED
// EXPECT: leak proven memory=device function=Mesh::build line=@leak via=@Inputs/devalloc.cpp:alloc via-function=dev::allocate variable=this->nodes count=1 bytes=65536
// EXPECT-ALL
// EXPECT-REPORT: leak *this->nodes*shared_allocator.cpp:{@leak}*Mesh::build
// EXPECT-IMAGE: path=*libdevalloc.so instrumented=1
#include "Inputs/devalloc.h"

#include <cstdio>

struct Mesh {
  void build() {
    this->edges = dev::allocate(32768);
    this->nodes = dev::allocate(65536); // @leak
  }
  ~Mesh() {
    dev::release(this->edges);
#ifdef FIXED
    dev::release(this->nodes);
#endif
  }
  void *nodes, *edges;
};

int main() {
  Mesh mesh;
  mesh.build();
  std::puts("built");
}
