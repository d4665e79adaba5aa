// CUPTI's activity records: the few functions and fields that exact device times need.
// SPDX-License-Identifier: Apache-2.0
//
// The library is loaded at run time and its headers are not needed: the structs below are copies of
// the first part of CUPTI's, compared with the installed headers by the tests. Since CUDA 12 new
// fields came behind them.
#ifndef GPUINSTR_TIME_EXACT_CUPTI_CUPTI_H
#define GPUINSTR_TIME_EXACT_CUPTI_CUPTI_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuinstr::timing {

// CUpti_ActivityKind.
enum : uint32_t {
  ActivityMemcpy = 1,
  ActivityMemset = 2,
  ActivityKernel = 10,
  ActivityOverhead = 17,
  ActivityPeer = 22
};

struct CuptiKernel {
  uint32_t kind;
  uint8_t cacheConfig, sharedConfig;
  uint16_t registers;
  uint32_t partitionedRequested, partitionedExecuted;
  uint64_t start, end, completed; ///< ns; 0: not known
  uint32_t device, context, stream;
  int32_t grid[3], block[3], staticShared, dynamicShared;
  uint32_t localPerThread, localTotal, correlation;
  int64_t gridId;
  const char *name; ///< mangled, one address per kernel
  void *reserved;
  uint64_t queued, submitted;
  uint8_t launchType, carveoutRequested, carveout, padding;
  uint32_t sharedExecuted;
  uint64_t graphNode; ///< 0: not of a graph
  uint32_t sharedLimit, graph;
};

struct CuptiMemcpy {
  uint32_t kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation, runtimeCorrelation, pad;
  void *reserved;
  uint64_t graphNode;
  uint32_t graph;
};

struct CuptiPeerCopy {
  uint32_t kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, srcDevice, srcContext, dstDevice, dstContext, correlation;
  void *reserved;
  uint64_t graphNode;
  uint32_t graph;
};

struct CuptiMemset {
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memoryKind;
  uint32_t pad;
  void *reserved;
  uint64_t graphNode;
  uint32_t graph;
};

struct CuptiOverhead {
  uint32_t kind, overhead, objectKind, object[3];
  uint64_t start, end; ///< ns; both 0: not known
  // Not before CUDA 12.4.
  uint32_t correlation, pad;
  void *data; ///< of CommandBufferFull alone: whoever reads the record frees it
};

/// CUpti_SubscriberParams.
struct CuptiSubscriber {
  size_t size;
  const char *name;
  char *oldName;
  size_t oldSize;
};

using CuptiRequest = void (*)(uint8_t **buffer, size_t *size, size_t *most);
using CuptiComplete = void (*)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                               size_t valid);

struct CuptiApi {
  int (*getVersion)(uint32_t *version) = nullptr;
  int (*subscribe)(void **subscriber, void *callback, void *data) = nullptr;
  int (*subscribeNamed)(void **subscriber, void *callback, void *data,
                        CuptiSubscriber *parameters) = nullptr; ///< CUDA 12.8; may be null
  int (*unsubscribe)(void *subscriber) = nullptr;
  int (*registerCallbacks)(CuptiRequest request, CuptiComplete complete) = nullptr;
  int (*registerTimestamp)(uint64_t (*now)()) = nullptr;
  int (*setAttribute)(int attribute, size_t *size, void *value) = nullptr;
  int (*enable)(uint32_t kind) = nullptr;
  int (*disable)(uint32_t kind) = nullptr;
  int (*nextRecord)(uint8_t *buffer, size_t valid, void **record) = nullptr;
  int (*flushAll)(uint32_t flag) = nullptr;
  int (*flushPeriod)(uint32_t ms) = nullptr; ///< may be null
  int (*dropped)(void *context, uint32_t stream, size_t *count) = nullptr;
  int (*resultString)(int result, const char **text) = nullptr;
};

/// Loads the library: `path`, or "" for the usual places. On failure a reason that ends the
/// sentence "gpu_time=exact: ...", and false.
bool loadCupti(const std::string &path, CuptiApi &api, std::string &why);

/// Takes the process's one subscription, starts the records and hands the buffers to the two
/// callbacks. Time stamps are ns of CLOCK_MONOTONIC. False as above: nothing is left switched on.
bool startCupti(const CuptiApi &api, CuptiRequest request, CuptiComplete complete,
                std::string &why);
/// No more records; the library stays.
void stopCupti(const CuptiApi &api);

/// Whether another tool has, or is about to have, CUPTI: its name in `why`.
bool cuptiIsTaken(std::string &why);

} // namespace gpuinstr::timing

#endif
