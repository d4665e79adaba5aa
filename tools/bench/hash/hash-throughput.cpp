// The auditor's hash on a device: is it right, how fast, and what a hash before and after a copy
// costs.
// SPDX-License-Identifier: Apache-2.0
//
// hash-throughput [--sum=FILE.ptx] [--code=FILE]... [--quick] [--values]
//   --sum   PTX of hash-kernels.cu (the build leaves it beside the program): what to compare with
//   --code  other builds of DeviceHash.cu, to compare
//   --quick   fewer rounds; --values  only whether the hashes are right (for compute-sanitizer)
// Prints one line for each measurement; exit code 1 when a hash is not what the host computes.
#include "hash/HashBench.h"
#include <cstdio>
#include <cstring>

using namespace gpuinstr::bench;

int main(int argc, char **argv) {
  Options options;
  std::string own = argv[0];
  options.sumFile = own.substr(0, own.rfind('/') + 1) + "hash-kernels.ptx";
  for (int i = 1; i < argc; ++i) {
    if (!std::strncmp(argv[i], "--sum=", 6))
      options.sumFile = argv[i] + 6;
    else if (!std::strncmp(argv[i], "--code=", 7))
      options.codeFiles.push_back(argv[i] + 7);
    else if (!std::strcmp(argv[i], "--quick"))
      options.quick = true;
    else if (!std::strcmp(argv[i], "--values"))
      options.quick = options.valuesOnly = true;
    else
      return std::fprintf(stderr, "hash-throughput: unknown argument %s\n", argv[i]), 2;
  }
  Device device;
  if (!device.open())
    return 2;
  measureCreation(device);
  bool right = checkValues(device, options);
  if (options.valuesOnly)
    return right ? 0 : 1;
  right = checkManners(device) && right;
  right = checkWaits(device, options) && right;
  measureThroughput(device, options);
  measureEnqueue(device);
  measureBorder(device, options);
  return right ? 0 : 1;
}
