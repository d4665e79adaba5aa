// Calls a tool back around driver functions, as CUPTI does.
// SPDX-License-Identifier: Apache-2.0

// No CUDA header here: parameters are passed on as they came, each as one word, which is how the
// calling conventions of 64-bit hosts pass whatever these functions take.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

struct Where {
  uint16_t offset, bytes;
};

/// CUpti_CallbackData.
struct CallbackData {
  int site; // 0 enter, 1 exit
  const char *function;
  const void *parameters;
  const void *result;
  const char *symbol;
  void *context;
  uint32_t contextId;
  uint64_t *kept;
  uint32_t correlation;
};
using Callback = void (*)(void *data, int domain, uint32_t number, const CallbackData *call);

constexpr int DriverDomain = 1;
constexpr uint32_t MostNumbers = 1024;

std::atomic<Callback> Subscriber{nullptr};
std::atomic<void *> SubscribersData{nullptr};
std::atomic<bool> Enabled[MostNumbers];
std::atomic<uint32_t> LastCorrelation{0};
/// A function was turned off while this thread was inside it: CUPTI takes it to be there still, and
/// tells it of no enter any more, of exits alone (measured with CUPTI of CUDA 13.0).
thread_local bool LostExit = false;

/// A call that is told of: the parameters lie as in CUPTI's struct of this function.
class Told {
public:
  Told(uint32_t number, const char *name, const uint64_t *values, const Where *where,
       unsigned count)
      : Number(number) {
    for (unsigned i = 0; i < count; ++i)
      std::memcpy(Parameters + where[i].offset, &values[i], where[i].bytes);
    Data.function = name;
    Data.parameters = Parameters;
    Data.result = &Result;
    Data.kept = &Kept;
    Data.correlation = ++LastCorrelation;
    if (!LostExit)
      tell(0);
  }
  int leave(int result) {
    Result = result;
    if (Enabled[Number].load(std::memory_order_relaxed))
      tell(1);
    else
      lose();
    return result;
  }

private:
  static void lose() {
    if (!LostExit)
      std::fputs("libcupti (simulated): turned off inside a call\n", stderr);
    LostExit = true;
  }
  void tell(int site) {
    Data.site = site;
    if (Callback callback = Subscriber.load())
      callback(SubscribersData.load(), DriverDomain, Number, &Data);
  }

  uint32_t Number;
  int Result = 0;
  uint64_t Kept = 0;
  alignas(8) char Parameters[128] = {};
  CallbackData Data = {};
};

bool enabled(uint32_t number) { return Enabled[number].load(std::memory_order_relaxed); }

} // namespace

// For the stand-in of libcupti, which finds them by name.
extern "C" int gpuinstr_simulator_subscribe(Callback callback, void *data) {
  Callback none = nullptr;
  if (!Subscriber.compare_exchange_strong(none, callback))
    return 39; // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
  SubscribersData.store(data);
  return 0;
}
extern "C" void gpuinstr_simulator_unsubscribe() {
  for (auto &one : Enabled)
    one.store(false);
  Subscriber.store(nullptr);
}
extern "C" int gpuinstr_simulator_watch(uint32_t number, int on) {
  if (number >= MostNumbers)
    return 1; // CUPTI_ERROR_INVALID_PARAMETER
  Enabled[number].store(on != 0);
  return 0;
}
extern "C" const char *gpuinstr_simulator_watched_name(uint32_t number) {
  switch (number) {
#define SIM_WATCHED(Name, Number, Count, Places)                                                   \
  case Number:                                                                                     \
    return #Name;
#include "driver/callbacks/Watched.def"
  }
  return nullptr;
}

#define SIM_TAKES_0
#define SIM_GIVES_0
#define SIM_LISTS_0
#define SIM_TAKES_1 uint64_t A0
#define SIM_GIVES_1 A0
#define SIM_LISTS_1 A0,
#define SIM_TAKES_2 uint64_t A0, uint64_t A1
#define SIM_GIVES_2 A0, A1
#define SIM_LISTS_2 A0, A1,
#define SIM_TAKES_3 uint64_t A0, uint64_t A1, uint64_t A2
#define SIM_GIVES_3 A0, A1, A2
#define SIM_LISTS_3 A0, A1, A2,
#define SIM_TAKES_4 uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3
#define SIM_GIVES_4 A0, A1, A2, A3
#define SIM_LISTS_4 A0, A1, A2, A3,
#define SIM_TAKES_5 uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3, uint64_t A4
#define SIM_GIVES_5 A0, A1, A2, A3, A4
#define SIM_LISTS_5 A0, A1, A2, A3, A4,
#define SIM_TAKES_6 uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3, uint64_t A4, uint64_t A5
#define SIM_GIVES_6 A0, A1, A2, A3, A4, A5
#define SIM_LISTS_6 A0, A1, A2, A3, A4, A5,
#define SIM_TAKES_7                                                                                \
  uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3, uint64_t A4, uint64_t A5, uint64_t A6
#define SIM_GIVES_7 A0, A1, A2, A3, A4, A5, A6
#define SIM_LISTS_7 A0, A1, A2, A3, A4, A5, A6,
#define SIM_TAKES_8                                                                                \
  uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3, uint64_t A4, uint64_t A5, uint64_t A6,       \
      uint64_t A7
#define SIM_GIVES_8 A0, A1, A2, A3, A4, A5, A6, A7
#define SIM_LISTS_8 A0, A1, A2, A3, A4, A5, A6, A7,
#define SIM_TAKES_9                                                                                \
  uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3, uint64_t A4, uint64_t A5, uint64_t A6,       \
      uint64_t A7, uint64_t A8
#define SIM_GIVES_9 A0, A1, A2, A3, A4, A5, A6, A7, A8
#define SIM_LISTS_9 A0, A1, A2, A3, A4, A5, A6, A7, A8,
#define SIM_TAKES_10                                                                               \
  uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3, uint64_t A4, uint64_t A5, uint64_t A6,       \
      uint64_t A7, uint64_t A8, uint64_t A9
#define SIM_GIVES_10 A0, A1, A2, A3, A4, A5, A6, A7, A8, A9
#define SIM_LISTS_10 A0, A1, A2, A3, A4, A5, A6, A7, A8, A9,
#define SIM_TAKES_11                                                                               \
  uint64_t A0, uint64_t A1, uint64_t A2, uint64_t A3, uint64_t A4, uint64_t A5, uint64_t A6,       \
      uint64_t A7, uint64_t A8, uint64_t A9, uint64_t A10
#define SIM_GIVES_11 A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10
#define SIM_LISTS_11 A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10,
#define P(offset, bytes) {offset, bytes},
#define SIM_WATCHED(Name, Number, Count, Places)                                                   \
  extern "C" int simulated_##Name(SIM_TAKES_##Count);                                              \
  extern "C" int Name(SIM_TAKES_##Count) {                                                         \
    if (!enabled(Number))                                                                          \
      return simulated_##Name(SIM_GIVES_##Count);                                                  \
    const uint64_t values[] = {SIM_LISTS_##Count 0};                                               \
    static constexpr Where where[] = {Places{0, 0}};                                               \
    Told told(Number, #Name, values, where, Count);                                                \
    return told.leave(simulated_##Name(SIM_GIVES_##Count));                                        \
  }
#include "driver/callbacks/Watched.def"
