// name gives an allocation another name, ignore takes it out of the leaks.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -I%gpuinstr
// EXPECT: leak proven variable="weights of layer 3" line=@named count=1 bytes=1024
// EXPECT-ALL
// EXPECT-NO: leak line=@ignored
// EXPECT-REPORT: weights of layer 3
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>

#include <string>

int main() {
  char *d_layer, *d_forever;
  CHECK(cudaMalloc((void **)&d_layer, 1024)); // @named
  {
    std::string name = "weights of layer " + std::to_string(3);
    gpuinstr_name(d_layer + 512, name.c_str());
  }
  CHECK(cudaMalloc((void **)&d_forever, 2048)); // @ignored
  gpuinstr_ignore(d_forever);
  puts("done");
}
