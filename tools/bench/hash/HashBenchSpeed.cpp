// hash-throughput: how fast the kernels are, and what they add to copies.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/DeviceCode.h"
#include "audit/hash/HashWork.h"
#include "audit/hash/HostHash.h"
#include "hash/HashBench.h"
#include <algorithm>
#include <cstdio>
#include <functional>

namespace gpuinstr::bench {

namespace {

struct Events {
  CUevent begin = nullptr, end = nullptr;
  Events() {
    CU(cuEventCreate, &begin, unsigned(CU_EVENT_DEFAULT));
    CU(cuEventCreate, &end, unsigned(CU_EVENT_DEFAULT));
  }
};

/// Microseconds on the device, with cold caches; the median of a few.
double timeCold(Device &device, unsigned rounds, const std::function<void()> &launch) {
  static Events events;
  std::vector<double> times;
  for (unsigned i = 0; i < rounds; ++i) {
    device.coolCaches(nullptr);
    CU(cuEventRecord, events.begin, nullptr);
    launch();
    CU(cuEventRecord, events.end, nullptr);
    CU(cuEventSynchronize, events.end);
    float ms = 0;
    CU(cuEventElapsedTime, &ms, events.begin, events.end);
    times.push_back(ms * 1e3);
  }
  return median(times);
}

void launch(CUfunction function, unsigned blocks, void **parameters) {
  CU(cuLaunchKernel, function, blocks, 1u, 1u, audit::HashThreads, 1u, 1u, 0u, nullptr, parameters,
     nullptr);
}

struct HashCode {
  CUfunction functions[audit::HashKernels];
  explicit HashCode(const void *image) {
    CUmodule module = nullptr;
    double begin = nowUs();
    CU(cuModuleLoadData, &module, image);
    for (unsigned i = 0; i < audit::HashKernels; ++i)
      CU(cuModuleGetFunction, &functions[i], module, audit::nameOf(audit::HashKernel(i)));
    loadMs = (nowUs() - begin) / 1e3;
  }
  double loadMs = 0;
};

/// `perProcessor` 0: as the engine does.
double timeHash(Device &device, HashCode &code, const cuda::Region &region, CUdeviceptr result,
                unsigned rounds, unsigned perProcessor = 0) {
  audit::hash::Work work;
  audit::HashKernel kernel;
  if (!audit::makeWork(region, work, kernel))
    return 0;
  work.result = result;
  void *parameters[] = {&work};
  unsigned blocks = audit::blocksFor(work.bytes, uint32_t(device.multiprocessors));
  if (perProcessor)
    blocks = unsigned(std::min<uint64_t>((work.bytes + 16383) / 16384,
                                         uint64_t(perProcessor) * device.multiprocessors));
  return timeCold(device, rounds,
                  [&] { launch(code.functions[unsigned(kernel)], blocks, parameters); });
}

double gbs(double bytes, double us) { return us > 0 ? bytes / us / 1e3 : 0; }

} // namespace

void measureThroughput(Device &device, const Options &options) {
  constexpr size_t Most = size_t(2) << 30;
  CUdeviceptr buffer = device.alloc(Most + 4096), result = device.alloc(4096);
  CU(cuMemsetD8, buffer, static_cast<unsigned char>(0x5a), Most + 4096);
  std::string ptx = readFile(options.sumFile);
  CUmodule module = nullptr;
  CU(cuModuleLoadData, &module, ptx.c_str());
  std::vector<CUfunction> sums(3);
  const char *const names[] = {"bench_sum4", "bench_sum8", "bench_sum4cs"};
  for (unsigned i = 0; i < 3; ++i)
    CU(cuModuleGetFunction, &sums[i], module, names[i]);
  HashCode own(audit::deviceCode());
  const unsigned rounds = options.quick ? 5 : 11;
  auto timeSum = [&](uint64_t bytes, unsigned which, unsigned perProcessor) {
    CUdeviceptr from = buffer;
    uint64_t count = bytes;
    void *parameters[] = {&from, &count, &result};
    unsigned blocks = unsigned(std::min<uint64_t>((bytes + 16383) / 16384,
                                                  uint64_t(perProcessor) * device.multiprocessors));
    return timeCold(device, rounds, [&] { launch(sums[which], blocks, parameters); });
  };
  std::printf("%10s %10s %10s %8s %10s %10s\n", "MiB", "sum GB/s", "hash GB/s", "of sum",
              "unaligned", "pitched");
  for (uint64_t mib = 1; mib <= 2048; mib *= mib < 256 ? 4 : 2) {
    uint64_t bytes = mib << 20;
    double best = 1e30;
    for (unsigned which = 0; which < 3; ++which)
      for (unsigned perProcessor : {4u, 8u, 16u})
        best = std::min(best, timeSum(bytes, which, perProcessor));
    double hash = timeHash(device, own, flat(buffer, bytes), result, rounds);
    double odd = timeHash(device, own, flat(buffer + 5, bytes), result, rounds);
    cuda::Region pitched = flat(buffer, 4000);
    pitched.pitch = 4096;
    pitched.rows = bytes / 4096;
    double rows = timeHash(device, own, pitched, result, rounds);
    std::printf("%10llu %10.0f %10.0f %7.1f%% %10.0f %10.0f\n", (unsigned long long)mib,
                gbs(double(bytes), best), gbs(double(bytes), hash), 100 * best / hash,
                gbs(double(bytes), odd), gbs(double(pitched.rows * 4000), rows));
  }
  for (const std::string &file : options.codeFiles) {
    std::string image = readFile(file);
    HashCode code(image.c_str());
    std::printf("%s (loads in %.1f ms):", file.c_str(), code.loadMs);
    for (unsigned perProcessor : {4u, 6u, 8u, 16u, 32u})
      std::printf("  %u/SM %.0f %.0f", perProcessor,
                  gbs(256 << 20, timeHash(device, code, flat(buffer, 256 << 20), result, rounds,
                                          perProcessor)),
                  gbs(1 << 30,
                      timeHash(device, code, flat(buffer, 1 << 30), result, rounds, perProcessor)));
    std::printf("  GB/s at 256 MiB, 1 GiB\n");
  }
  device.free(buffer);
  device.free(result);
}

void measureEnqueue(Device &device) {
  audit::DeviceHasher *engine = audit::currentEngine();
  CUdeviceptr buffer = device.alloc(65536);
  std::vector<double> times, plain, blocking;
  for (unsigned i = 0; i < 2000; ++i) {
    audit::EnqueueResult why;
    double begin = nowUs();
    audit::Ticket ticket = engine->begin(why);
    engine->enqueue(ticket, false, flat(buffer, 65536), 0);
    times.push_back(nowUs() - begin);
    if (i % 50 == 49)
      CU(cuStreamSynchronize, nullptr);
    engine->release(ticket);
  }
  CU(cuStreamSynchronize, nullptr);
  for (unsigned i = 0; i < 500; ++i) {
    audit::EnqueueResult why;
    double begin = nowUs();
    audit::Ticket ticket = engine->begin(why);
    engine->enqueue(ticket, false, flat(buffer, 65536), 0);
    engine->finish(ticket, 0);
    blocking.push_back(nowUs() - begin);
    engine->release(ticket);
  }
  std::printf("enqueue: %.0f ns on the host; with finish %.0f ns; the engine estimates %llu ns for "
              "64 KiB, %llu for 256 MiB\n",
              1e3 * median(times), 1e3 * median(blocking),
              (unsigned long long)engine->estimateNs(65536),
              (unsigned long long)engine->estimateNs(256 << 20));
  device.free(buffer);
}

namespace {

enum class Around { Nothing, EmptyKernels, Hashes };

/// Microseconds of one copy in a row of them, asynchronous and pinned.
struct Copies {
  CUdeviceptr to = 0;
  void *from = nullptr;
  CUstream stream = nullptr;
  CUfunction nothing = nullptr;
  unsigned refused = 0;

  void launchNothing() {
    CU(cuLaunchKernel, nothing, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream, nullptr, nullptr);
  }
  double time(uint64_t bytes, unsigned count, Around around) {
    audit::DeviceHasher *engine = audit::currentEngine();
    double begin = nowUs();
    for (unsigned i = 0; i < count; ++i) {
      audit::EnqueueResult why;
      audit::Ticket ticket = around == Around::Hashes ? engine->begin(why) : 0;
      auto beside = [&](bool after) {
        if (around == Around::EmptyKernels)
          launchNothing();
        if (around == Around::Hashes)
          refused += engine->enqueue(ticket, after, flat(to, bytes), uint64_t(stream)) !=
                     audit::EnqueueResult::None;
      };
      beside(false);
      CU(cuMemcpyHtoDAsync, to, from, size_t(bytes), stream);
      beside(true);
      if (ticket)
        engine->release(ticket);
    }
    CU(cuStreamSynchronize, stream);
    return (nowUs() - begin) / count;
  }
};

} // namespace

void measureBorder(Device &device, const Options &options) {
  constexpr size_t Most = 64 << 20;
  Copies copies;
  copies.to = device.alloc(Most);
  CU(cuMemHostAlloc, &copies.from, Most, 0u);
  std::fill_n(static_cast<unsigned char *>(copies.from), Most, static_cast<unsigned char>(3));
  CU(cuStreamCreate, &copies.stream, unsigned(CU_STREAM_NON_BLOCKING));
  CUmodule module = nullptr;
  CU(cuModuleLoadData, &module, readFile(options.sumFile).c_str());
  CU(cuModuleGetFunction, &copies.nothing, module, "bench_nothing");
  std::printf(
      "pinned H2D copies back to back, microseconds each\n%8s %10s %10s %10s %8s %12s %8s\n", "KiB",
      "plain", "2 empty", "2 hashes", "ratio", "host hash", "GB/s");
  const unsigned rounds = options.quick ? 3 : 15;
  for (uint64_t bytes = 4096; bytes <= Most; bytes *= 4) {
    const unsigned count = bytes >= (16 << 20) ? 20 : 60; // fewer than the engine's bound
    std::vector<double> plain, empty, hashed, host;
    uint64_t kept = 0;
    for (unsigned i = 0; i < rounds; ++i) {
      plain.push_back(copies.time(bytes, count, Around::Nothing));
      empty.push_back(copies.time(bytes, count, Around::EmptyKernels));
      hashed.push_back(copies.time(bytes, count, Around::Hashes));
      double begin = nowUs();
      kept ^= audit::hashHost(copies.from, bytes).first;
      host.push_back(nowUs() - begin);
    }
    std::printf("%8llu %10.2f %10.2f %10.2f %8.3f %12.2f %8.1f%s\n",
                (unsigned long long)bytes / 1024, median(plain), median(empty), median(hashed),
                median(hashed) / median(plain), median(host), gbs(double(bytes), median(host)),
                copies.refused ? "  some refused"
                : kept == 1    ? "  odd"
                               : "");
  }
  CU(cuStreamDestroy, copies.stream);
  CU(cuMemFreeHost, copies.from);
  device.free(copies.to);
}

} // namespace gpuinstr::bench
