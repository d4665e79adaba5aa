// What a line of Python hands to its library's threads to be sent.
// SPDX-License-Identifier: Apache-2.0
#include "attach/HandedOver.h"
#include "attach/python/Python.h"
#include "attach/python/PythonReads.h"
#include "base/Clock.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

namespace gpuinstr::attach {

namespace {

namespace number {
enum : uint32_t {
#define DRIVER_CALL(row, name, number, parameters) name = number,
#include "attach/driver/DriverCalls.def"
};
} // namespace number

constexpr uint64_t LeastBytes = 1024;
constexpr uint64_t LongestNs = 1000000000; ///< between the question and the copy

struct Handed {
  uint64_t address = 0, sinceNs = 0;
  Sites sites;
};
/// Questions that no upload was found for yet, the oldest first.
struct Open {
  static constexpr unsigned Most = 16;
  std::mutex mutex;
  std::atomic<unsigned> count{0};
  Handed all[Most];

  void drop(unsigned i) {
    std::copy(all + i + 1, all + count, all + i);
    count.store(count - 1, std::memory_order_relaxed);
  }
  void add(const Handed &one) {
    if (count == Most)
      drop(0);
    all[count] = one;
    count.store(count + 1, std::memory_order_relaxed);
  }
};
Open &open() {
  static Open *instance = new Open; // leaked: used during exit
  return *instance;
}

/// Some of the bytes of an array: where it begins and ends, and between.
class Sample {
public:
  /// False: not all is readable.
  bool take(uint64_t address, uint64_t bytes) {
    for (uint64_t i = 0; i < Pieces; ++i)
      if (!readSafely(address + (bytes - Piece) / (Pieces - 1) * i, Bytes + Piece * i, Piece))
        return false;
    return true;
  }
  bool operator==(const Sample &o) const { return !std::memcmp(Bytes, o.Bytes, sizeof Bytes); }

private:
  static constexpr uint64_t Pieces = 4, Piece = 64;
  char Bytes[Pieces * Piece];
};

/// A download follows: what was asked about is where it goes to, and no array to be sent.
void dropLastAsked(AttachedThread &thread) {
  uint64_t address = std::exchange(thread.asked, 0);
  Open &o = open();
  std::unique_lock<std::mutex> lock(o.mutex, std::try_to_lock);
  for (unsigned i = address && lock ? unsigned(o.count) : 0; i-- > 0;)
    if (o.all[i].address == address)
      return o.drop(i);
}

/// A line of Python does.
void noteAsking(AttachedThread &thread, uint64_t address) {
  const DriverCall *sender = driverCall(number::cuMemcpyHtoDAsync_v2);
  if (!sender || !pythonIsHere())
    return;
  PythonPlaces python = pythonPlacesAgain(thread.python, sender);
  if (!python.user.value)
    return;
  Places places;
  places.place = python.user;
  places.caller = python.caller;
  places.kept = python.kept;
  Handed one;
  one.address = address;
  one.sinceNs = monotonicNs();
  one.sites = sitesOf(*sender, places, nullptr); // now: its text is read on this thread
  Open &o = open();
  std::unique_lock<std::mutex> lock(o.mutex, std::try_to_lock);
  if (lock)
    o.add(one);
}

} // namespace

const uint32_t PointerQuestion = number::cuPointerGetAttributes;

uint64_t notePointerQuestion(AttachedThread &thread, const void *parameters) {
  struct {
    uint32_t count;
    const void *attributes, *values;
    uint64_t address;
  } given;
  std::memcpy(&given, parameters, sizeof given);
  thread.asked = given.address;
  if (given.address)
    noteAsking(thread, given.address);
  return given.address;
}

Sites handedOver(AttachedThread &thread, const DriverCall &call, const gpuinstr_frame &frame,
                 bool isOfLibrary) {
  if (call.number == number::cuMemcpyDtoHAsync_v2)
    dropLastAsked(thread);
  if (call.number != number::cuMemcpyHtoDAsync_v2 || !isOfLibrary)
    return {};
  Open &o = open();
  const uint64_t source = frame.slot[GPUINSTR_SLOT_SRC], bytes = frame.slot[GPUINSTR_SLOT_BYTES];
  Sample sent, asked;
  if (bytes < LeastBytes || o.count.load(std::memory_order_relaxed) == 0 ||
      !sent.take(source, bytes))
    return {};
  const uint64_t now = monotonicNs();
  std::unique_lock<std::mutex> lock(o.mutex, std::try_to_lock);
  while (lock && o.count && now - o.all[0].sinceNs > LongestNs)
    o.drop(0);
  for (unsigned i = 0; lock && i < o.count; ++i)
    if (asked.take(o.all[i].address, bytes) && asked == sent) {
      Sites sites = o.all[i].sites;
      o.drop(i);
      return sites;
    }
  return {};
}

} // namespace gpuinstr::attach
