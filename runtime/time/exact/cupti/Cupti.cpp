// CUPTI's activity records: the few functions and fields that exact device times need.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/cupti/Cupti.h"
#include "base/Clock.h"
#include "base/system/Environment.h"
#include "cuda/AttachedTools.h"
#include <dlfcn.h>
#include <vector>

namespace gpuinstr::timing {

namespace {

// CUptiResult and CUpti_ActivityAttribute.
constexpr int Ok = 0, InsufficientPrivileges = 35, SeveralSubscribers = 39,
              VirtualInsufficientPrivileges = 40;
constexpr int AttributeZeroedBuffers = 5;
/// Of CUDA 12.0. Records of older ones are laid out otherwise.
constexpr uint32_t LeastVersion = 18;

constexpr uint32_t FlushMs = 100;

constexpr uint32_t Kinds[] = {ActivityKernel, ActivityMemcpy, ActivityPeer, ActivityMemset};

void *Subscriber = nullptr;

/// Where a toolkit has it, newest first; names without a folder are searched by the loader.
std::vector<std::string> places() {
  std::vector<std::string> all = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  std::vector<std::string> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *root = trustedVariable(variable); root && *root)
      roots.push_back(root);
  roots.push_back("/usr/local/cuda");
  roots.push_back("/opt/cuda");
  for (const std::string &root : roots)
    for (const char *folder : {"/lib64/", "/extras/CUPTI/lib64/", "/targets/x86_64-linux/lib/"})
      for (const char *name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
        all.push_back(root + folder + name);
  return all;
}

template <class F> bool find(void *library, F *&function, const char *name) {
  function = reinterpret_cast<F *>(dlsym(library, name));
  return function != nullptr;
}

bool findAll(void *library, CuptiApi &api) {
  find(library, api.subscribeNamed, "cuptiSubscribe_v2");
  find(library, api.flushPeriod, "cuptiActivityFlushPeriod");
  return find(library, api.getVersion, "cuptiGetVersion") &&
         find(library, api.subscribe, "cuptiSubscribe") &&
         find(library, api.unsubscribe, "cuptiUnsubscribe") &&
         find(library, api.registerCallbacks, "cuptiActivityRegisterCallbacks") &&
         find(library, api.registerTimestamp, "cuptiActivityRegisterTimestampCallback") &&
         find(library, api.setAttribute, "cuptiActivitySetAttribute") &&
         find(library, api.enable, "cuptiActivityEnable") &&
         find(library, api.disable, "cuptiActivityDisable") &&
         find(library, api.nextRecord, "cuptiActivityGetNextRecord") &&
         find(library, api.flushAll, "cuptiActivityFlushAll") &&
         find(library, api.dropped, "cuptiActivityGetNumDroppedRecords") &&
         find(library, api.resultString, "cuptiGetResultString");
}

void nothing(void *, int, uint32_t, const void *) {}

std::string refusal(const CuptiApi &api, int result) {
  if (result == InsufficientPrivileges || result == VirtualInsufficientPrivileges)
    return "CUPTI is not permitted here (ERR_NVGPUCTRPERM: an administrator can allow it)";
  const char *text = nullptr;
  api.resultString(result, &text);
  return "CUPTI refuses (" + std::string(text ? text : "unknown error") + ")";
}

/// The one subscription that tools share by agreement: without it another one would be disturbed.
bool subscribe(const CuptiApi &api, std::string &why) {
  char holder[128] = "";
  int result;
  if (api.subscribeNamed) {
    CuptiSubscriber parameters = {sizeof(CuptiSubscriber), "gpuinstr", holder, sizeof holder};
    result =
        api.subscribeNamed(&Subscriber, reinterpret_cast<void *>(nothing), nullptr, &parameters);
  } else {
    result = api.subscribe(&Subscriber, reinterpret_cast<void *>(nothing), nullptr);
  }
  if (result == Ok)
    return true;
  Subscriber = nullptr;
  holder[sizeof holder - 1] = 0;
  if (result == SeveralSubscribers)
    why = "CUPTI is held by " + std::string(*holder ? holder : "another tool");
  else
    why = refusal(api, result);
  return false;
}

uint64_t now() { return monotonicNs(); }

} // namespace

bool cuptiIsTaken(std::string &why) {
  // The tool may not have come up yet, and it was asked for from outside: it goes first.
  cuda::AttachedTool tool = cuda::attachedTool();
  if (tool.name.empty())
    return false;
  why = tool.someCupti ? "the program loads CUPTI itself" : "CUPTI is held by " + tool.name;
  return true;
}

bool loadCupti(const std::string &path, CuptiApi &api, std::string &why) {
  void *library = nullptr;
  if (!path.empty()) {
    library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    why = "no CUPTI at " + path;
  } else {
    for (const std::string &place : places())
      if ((library = dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL)))
        break;
    why = "no libcupti.so found (LD_LIBRARY_PATH, CUDA_HOME or cupti=PATH can name it)";
  }
  if (!library)
    return false;
  uint32_t version = 0;
  if (findAll(library, api) && api.getVersion(&version) == Ok && version >= LeastVersion)
    return true;
  why = "this CUPTI is older than CUDA 12's";
  return false;
}

bool startCupti(const CuptiApi &api, CuptiRequest request, CuptiComplete complete,
                std::string &why) {
  if (!subscribe(api, why))
    return false;
  uint8_t yes = 1; // CUPTI would clear them inside the program's launches
  size_t size = sizeof yes;
  api.setAttribute(AttributeZeroedBuffers, &size, &yes);
  int result = api.registerTimestamp(now);
  if (result == Ok)
    result = api.registerCallbacks(request, complete);
  for (uint32_t kind : Kinds)
    if (result == Ok)
      result = api.enable(kind);
  if (result == Ok) {
    // Else CUPTI keeps the records of a second or more, and those of threads that ended for good.
    if (api.flushPeriod)
      api.flushPeriod(FlushMs);
    api.enable(ActivityOverhead); // without it one-time costs are told from the calls alone
    return true;
  }
  why = refusal(api, result);
  stopCupti(api);
  return false;
}

void stopCupti(const CuptiApi &api) {
  for (uint32_t kind : Kinds)
    api.disable(kind);
  api.disable(ActivityOverhead);
  if (Subscriber)
    api.unsubscribe(Subscriber);
  Subscriber = nullptr;
}

} // namespace gpuinstr::timing
