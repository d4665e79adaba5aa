// A stand-in for libcupti: its callbacks around driver functions, of the simulated driver.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>

namespace {

enum { Ok = 0, InvalidParameter = 1, NotInitialised = 15, SeveralSubscribers = 39 };
enum { AllDomains = 0, DriverDomain = 1 };
constexpr uint32_t MostNumbers = 1024;

struct SubscriberParameters {
  size_t size;
  const char *name;
  char *oldName;
  size_t oldSize;
};

int Handle; ///< its address is the one subscription
char Holder[128];

template <class F> F *simulated(const char *name) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
  void *function = driver ? dlsym(driver, name) : nullptr;
  if (driver)
    dlclose(driver);
  return reinterpret_cast<F *>(function);
}

int subscribe(void **subscriber, void *callback, void *data) {
  auto *take = simulated<int(void *, void *)>("gpuinstr_simulator_subscribe");
  if (!take || !subscriber || !callback)
    return take ? InvalidParameter : NotInitialised;
  int result = take(callback, data);
  *subscriber = result == Ok ? &Handle : nullptr;
  return result;
}

} // namespace

extern "C" {

int cuptiSubscribe(void **subscriber, void *callback, void *data) {
  return subscribe(subscriber, callback, data);
}

int cuptiSubscribe_v2(void **subscriber, void *callback, void *data,
                      SubscriberParameters *parameters) {
  int result = subscribe(subscriber, callback, data);
  if (result == Ok && parameters && parameters->name)
    std::snprintf(Holder, sizeof Holder, "%s", parameters->name);
  if (result == SeveralSubscribers && parameters && parameters->oldName && parameters->oldSize)
    // As CUPTI of CUDA 13 has it for one that gave no name.
    std::snprintf(parameters->oldName, parameters->oldSize, "%s",
                  *Holder ? Holder : "CUPTI for <not provided>");
  return result;
}

int cuptiUnsubscribe(void *subscriber) {
  auto *end = simulated<void()>("gpuinstr_simulator_unsubscribe");
  if (!end || subscriber != &Handle)
    return InvalidParameter;
  Holder[0] = 0;
  end();
  return Ok;
}

int cuptiEnableCallback(uint32_t on, void *subscriber, int domain, uint32_t number) {
  auto *watch = simulated<int(uint32_t, int)>("gpuinstr_simulator_watch");
  if (!watch || subscriber != &Handle)
    return InvalidParameter;
  return domain == DriverDomain ? watch(number, int(on)) : Ok; // the others never call
}

int cuptiEnableDomain(uint32_t on, void *subscriber, int domain) {
  for (uint32_t number = 0; number < MostNumbers; ++number)
    if (int result = cuptiEnableCallback(on, subscriber, domain, number))
      return result;
  return Ok;
}

int cuptiEnableAllDomains(uint32_t on, void *subscriber) {
  return cuptiEnableDomain(on, subscriber, DriverDomain);
}

int cuptiGetCallbackName(int domain, uint32_t number, const char **name) {
  auto *nameOf = simulated<const char *(uint32_t)>("gpuinstr_simulator_watched_name");
  const char *found = nameOf && domain == DriverDomain ? nameOf(number) : nullptr;
  if (!found || !name)
    return InvalidParameter;
  *name = found;
  return Ok;
}

int cuptiGetResultString(int result, const char **text) {
  if (!text)
    return InvalidParameter;
  *text = result == Ok                   ? "CUPTI_SUCCESS"
          : result == SeveralSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == NotInitialised     ? "CUPTI_ERROR_NOT_INITIALIZED"
                                         : "CUPTI_ERROR_INVALID_PARAMETER";
  return Ok;
}

int cuptiGetVersion(uint32_t *version) {
  if (!version)
    return InvalidParameter;
  *version = 0; // no real one
  return Ok;
}

} // extern "C"
