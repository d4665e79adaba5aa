// No CUDA call was made: nothing is printed, loaded or written.
// SPDX-License-Identifier: Apache-2.0
// ENV: GPUINSTR_OPTIONS=json=%t/profile.json report=%t/report.txt verbose=1
// EXPECT-SILENT
// EXPECT-NO-FILE: profile.json
// EXPECT-STDOUT: no device needed
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
  for (std::string line; std::getline(maps, line);)
    if (line.find("libcuda.so") != std::string::npos)
      puts("libcuda is loaded");
  puts("no device needed");
}
