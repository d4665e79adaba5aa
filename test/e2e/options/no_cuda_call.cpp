// No CUDA call was made: nothing is printed, loaded or written.
// SPDX-License-Identifier: Apache-2.0
// ENV: GPUINSTR_OPTIONS=json=%t/profile.json report=%t/report.txt verbose=1
// EXPECT-SILENT
// EXPECT-NO-FILE: profile.json
// EXPECT-STDOUT: no device needed
// EXPECT-STDOUT[gpu]: libcuda is not loaded
#include "../Inputs/check.h"

#include <cstring>
#include <fstream>
#include <string>

// Never called without an argument.
static void useDevice() {
  void *d_data;
  CHECK(cudaMalloc(&d_data, 1024));
  CHECK(cudaFree(d_data));
}

int main(int argc, char **) {
  if (argc > 1)
    useDevice();
  std::ifstream maps("/proc/self/maps");
  bool loaded = false;
  for (std::string line; std::getline(maps, line);)
    loaded |= line.find("libcuda.so") != std::string::npos;
  // The simulated libcudart needs it from the start; NVIDIA's loads it at the first call.
  printf("libcuda is%s loaded\n", loaded ? "" : " not");
  puts("no device needed");
}
