// The engine's markers: what may be put behind hashes, on the device, so that no call has to wait.
// SPDX-License-Identifier: Apache-2.0
#include "audit/engine/ContextEngine.h"
#include <chrono>
#include <thread>

namespace gpuinstr::audit {

namespace {
constexpr int NotReady = 600; // from cuda.h
constexpr unsigned DisableTiming = 2;

void *handle(uint64_t stream) { return reinterpret_cast<void *>(stream); }
} // namespace

bool ContextEngine::createMarks() {
  for (void *&event : Events)
    if (Api->eventCreate(&event, DisableTiming) != Success)
      return false;
  return true;
}

bool ContextEngine::setMarker(unsigned marker, uint64_t stream) {
  RelaxedCapture relaxed(*Api);
  return isOn() && !isCapturing(stream) &&
         Api->eventRecord(Events[marker], handle(stream)) == Success;
}

bool ContextEngine::putBehind(unsigned marker, uint64_t stream) {
  RelaxedCapture relaxed(*Api);
  return isOn() && !isCapturing(stream) &&
         Api->streamWaitEvent(handle(stream), Events[marker], 0) == Success;
}

bool ContextEngine::finishMarker(Ticket ticket, unsigned marker) {
  using namespace std::chrono;
  constexpr auto Spin = microseconds(100);
  auto begin = steady_clock::now();
  RelaxedCapture relaxed(*Api);
  while (!All.arrived(ticket)) {
    if (steady_clock::now() - begin < Spin) {
      __builtin_ia32_pause();
      continue;
    }
    if (!isOn() || Api->eventQuery(Events[marker]) != NotReady)
      break;
    std::this_thread::sleep_for(microseconds(20));
  }
  return All.arrived(ticket);
}

bool ContextEngine::isIdle(uint64_t stream) {
  RelaxedCapture relaxed(*Api);
  return isOn() && Api->streamQuery && !isCapturing(stream) &&
         Api->streamQuery(handle(stream)) == Success;
}

bool ContextEngine::settle(uint64_t stream) {
  RelaxedCapture relaxed(*Api);
  return isOn() && !isCapturing(stream) && Api->streamSynchronize(handle(stream)) == Success;
}

} // namespace gpuinstr::audit
