// hash-throughput: the device, creation, and whether the values are right.
// SPDX-License-Identifier: Apache-2.0
#include "hash/HashBench.h"
#include "audit/hash/DeviceCode.h"
#include "audit/hash/HostHash.h"
#include "cuda/Driver.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <random>

namespace gpuinstr::bench {

void *driverSymbol(const char *name) {
  static void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "hash-throughput: the driver has no %s\n", name);
    std::exit(2);
  }
  return symbol;
}

void check(CUresult result, const char *what, int line) {
  if (result == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "hash-throughput: %s gave %d (line %d)\n", what, int(result), line);
  std::exit(2);
}

double nowUs() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

cuda::Region flat(uint64_t address, uint64_t bytes) {
  cuda::Region region;
  region.address = address;
  region.width = bytes;
  return region;
}

bool Device::open() {
  if (CALL(cuInit, 0u) != CUDA_SUCCESS)
    return std::fprintf(stderr, "hash-throughput: no device\n"), false;
  CU(cuDevicePrimaryCtxRetain, &context, 0);
  CU(cuCtxSetCurrent, context);
  CU(cuDeviceGetAttribute, &multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
  char name[128];
  CU(cuDeviceGetName, name, 128, 0);
  int version = 0;
  CU(cuDriverGetVersion, &version);
  std::printf("device %s, driver CUDA %d.%d\n", name, version / 1000, version / 10 % 100);
  return findDriver();
}

CUdeviceptr Device::alloc(size_t bytes) {
  CUdeviceptr address = 0;
  CU(cuMemAlloc, &address, bytes);
  return address;
}

void Device::coolCaches(CUstream stream) {
  constexpr size_t Bytes = size_t(256) << 20;
  if (!cold)
    cold = alloc(Bytes);
  CU(cuMemsetD8Async, cold, static_cast<unsigned char>(1), Bytes, stream);
}

void measureCreation(Device &) {
  size_t before = 0, after = 0, total = 0;
  CU(cuMemGetInfo, &before, &total);
  double begin = nowUs();
  audit::DeviceHasher *engine = audit::currentEngine();
  double took = nowUs() - begin;
  CU(cuMemGetInfo, &after, &total);
  std::printf("creation: engine %s in %.2f ms, device memory %.2f MiB (says %.2f)\n",
              engine ? "made" : "NOT MADE", took / 1e3, double(before - after) / (1 << 20),
              engine ? double(engine->deviceBytes()) / (1 << 20) : 0.0);
  if (!engine)
    std::exit(2);
  CUmodule module = nullptr;
  begin = nowUs();
  CU(cuModuleLoadData, &module, audit::deviceCode());
  std::printf("creation: the module again, %zu bytes: %.2f ms\n", audit::deviceCodeBytes(),
              (nowUs() - begin) / 1e3);
  CU(cuModuleUnload, module);
}

namespace {

struct Checker {
  audit::DeviceHasher *engine = audit::currentEngine();
  unsigned done = 0, wrong = 0;

  void one(const cuda::Region &device, const cuda::Region &host, CUstream stream) {
    audit::EnqueueResult why;
    audit::Ticket ticket = engine->begin(why);
    bool put = ticket && engine->enqueue(ticket, false, device, uint64_t(stream)) ==
                             audit::EnqueueResult::None;
    put = put && engine->finish(ticket, uint64_t(stream));
    ++done;
    if (!put || engine->read(ticket).before != audit::hashHost(host)) {
      ++wrong;
      std::printf("WRONG: width %llu rows %llu pitch %llu slices %llu address %% 16 = %llu%s\n",
                  (unsigned long long)device.width, (unsigned long long)device.rows,
                  (unsigned long long)device.pitch, (unsigned long long)device.slices,
                  (unsigned long long)(device.address % 16), put ? "" : " (not run)");
    }
    engine->release(ticket);
  }
};

} // namespace

bool checkValues(Device &device, const Options &options) {
  constexpr size_t Bytes = 48 << 20;
  std::mt19937_64 random(7);
  std::vector<uint64_t> data(Bytes / 8);
  for (uint64_t &word : data)
    word = random();
  CUdeviceptr buffer = device.alloc(Bytes);
  CU(cuMemcpyHtoD, buffer, data.data(), Bytes);
  auto base = reinterpret_cast<uint64_t>(data.data());
  Checker checker;
  auto both = [&](cuda::Region region) {
    cuda::Region host = region;
    host.address += base;
    region.address += buffer;
    checker.one(region, host, nullptr);
  };
  for (uint64_t bytes = 0; bytes < 600; ++bytes)
    both(flat(bytes % 32, bytes));
  unsigned rounds = options.quick ? 50 : 400;
  for (unsigned i = 0; i < rounds; ++i) {
    uint64_t bytes = random() % (uint64_t(1) << (random() % 25 + 1));
    uint64_t offset = random() % (Bytes - bytes);
    both(flat(i % 2 ? offset : offset & ~uint64_t(15), bytes));
    cuda::Region pitched = flat(random() % 4096, random() % 5000 + 1);
    pitched.rows = random() % 200 + 1;
    pitched.pitch = pitched.width + (i % 3 ? random() % 300 : 0);
    pitched.slices = random() % 8 + 1;
    pitched.slicePitch = pitched.rows * pitched.pitch + (i % 5 ? random() % 1000 : 0);
    both(pitched);
  }
  both(flat(0, Bytes));
  both(flat(1, Bytes - 1));
  device.free(buffer);
  void *pinned = nullptr; // what a device can read of the host
  CU(cuMemHostAlloc, &pinned, size_t(1) << 20, 0u);
  std::copy_n(data.begin(), (1 << 20) / 8, static_cast<uint64_t *>(pinned));
  for (uint64_t offset : {0, 16, 3})
    checker.one(flat(uint64_t(pinned) + offset, (1 << 20) - 77),
                flat(base + offset, (1 << 20) - 77), nullptr);
  CU(cuMemFreeHost, pinned);
  // Whole allocations of odd sizes: a memory checker sees what is read beside them.
  for (uint64_t bytes = 1; bytes < 100; bytes += options.quick ? 7 : 1) {
    CUdeviceptr exact = device.alloc(bytes);
    CU(cuMemcpyHtoD, exact, data.data(), size_t(bytes));
    for (uint64_t offset : {0, 1, 5, 8}) {
      if (offset >= bytes)
        continue;
      cuda::Region region = flat(exact + offset, bytes - offset), host = region;
      host.address = base + offset;
      checker.one(region, host, nullptr);
    }
    if (bytes % 3 == 0) { // the last row ends the allocation
      cuda::Region region = flat(exact, bytes / 3 - bytes / 9), host;
      region.rows = 3;
      region.pitch = (bytes - region.width) / 2;
      host = region;
      host.address = base;
      if (region.pitch >= region.width)
        checker.one(region, host, nullptr);
    }
    device.free(exact);
  }
  std::printf("values: %u regions, %u wrong\n", checker.done, checker.wrong);
  return checker.wrong == 0;
}

bool checkManners(Device &device) {
  audit::DeviceHasher *engine = audit::currentEngine();
  CUdeviceptr buffer = device.alloc(4096);
  CUstream stream = nullptr;
  CU(cuStreamCreate, &stream, unsigned(CU_STREAM_DEFAULT));
  CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  audit::EnqueueResult why;
  audit::Ticket ticket = engine->begin(why);
  auto put = [&](uint64_t s) { return int(engine->enqueue(ticket, false, flat(buffer, 4096), s)); };
  int captured = put(uint64_t(stream)), legacy = put(0), perThread = put(2);
  CUgraph graph = nullptr;
  CUresult end = CALL(cuStreamEndCapture, stream, &graph);
  engine->release(ticket);
  std::printf("manners: into a capture %d, legacy stream beside it %d, per-thread stream %d; the "
              "capture ended with %d\n",
              captured, legacy, perThread, int(end));
  // The program's last error is cudart's: ours must neither set nor clear it.
  void *cudart = dlopen("libcudart.so.13", RTLD_NOW);
  int kept = -1, none = -1;
  if (cudart) {
    auto getLast = reinterpret_cast<int (*)()>(dlsym(cudart, "cudaGetLastError"));
    auto mallocOf = reinterpret_cast<int (*)(void **, size_t)>(dlsym(cudart, "cudaMalloc"));
    void *none2 = nullptr;
    mallocOf(&none2, size_t(1) << 60);
    ticket = engine->begin(why);
    cuda::Region bad = flat(buffer, 4096);
    put(0);
    engine->finish(ticket, 0);
    kept = getLast();
    engine->enqueue(ticket, true, bad, 0);
    none = getLast();
    engine->release(ticket);
  }
  std::printf("manners: cudaGetLastError keeps 2: %d, then stays 0: %d\n", kept, none);
  CU(cuStreamDestroy, stream);
  device.free(buffer);
  const int capturing = int(audit::EnqueueResult::Capturing);
  return captured == capturing && legacy == capturing && perThread == 0 && end == 0 &&
         (!cudart || (kept == 2 && none == 0));
}

} // namespace gpuinstr::bench
