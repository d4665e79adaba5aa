// The parts of hash-throughput.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TOOLS_BENCH_HASHBENCH_H
#define GPUINSTR_TOOLS_BENCH_HASHBENCH_H

#include "audit/engine/DeviceHasher.h"
#include <cuda.h>
#include <string>
#include <vector>

namespace gpuinstr::bench {

struct Options {
  std::string sumFile;
  std::vector<std::string> codeFiles;
  bool quick = false;      ///< fewer rounds
  bool valuesOnly = false; ///< for a memory checker
};

/// Driver functions by name, from the libcuda.so.1 that is loaded.
void *driverSymbol(const char *name);
template <class... F, class... A>
CUresult callDriver(CUresult (*)(F...), const char *name, A... arguments) {
  return reinterpret_cast<CUresult (*)(F...)>(driverSymbol(name))(arguments...);
}
void check(CUresult result, const char *what, int line);
#define BENCH_TEXT_(x) #x
#define BENCH_TEXT(x) BENCH_TEXT_(x)
#define CALL(function, ...)                                                                        \
  ::gpuinstr::bench::callDriver(decltype (&function)(nullptr), BENCH_TEXT(function), __VA_ARGS__)
#define CU(function, ...) ::gpuinstr::bench::check(CALL(function, __VA_ARGS__), #function, __LINE__)

double nowUs();
double median(std::vector<double> values);
/// PTX text of a file, or a fat binary; ends with a zero.
std::string readFile(const std::string &path);

/// Device 0's primary context, current.
struct Device {
  bool open();
  CUdeviceptr alloc(size_t bytes);
  void free(CUdeviceptr address) { CU(cuMemFree, address); }
  /// Writes more than the caches hold.
  void coolCaches(CUstream stream);
  CUcontext context = nullptr;
  int multiprocessors = 1;
  CUdeviceptr cold = 0;
};

cuda::Region flat(uint64_t address, uint64_t bytes);

void measureCreation(Device &device);
bool checkValues(Device &device, const Options &options);
bool checkManners(Device &device);
bool checkWaits(Device &device, const Options &options);
void measureThroughput(Device &device, const Options &options);
void measureEnqueue(Device &device);
void measureBorder(Device &device, const Options &options);

} // namespace gpuinstr::bench

#endif
