// The process's own options, shared by all threads.
// SPDX-License-Identifier: Apache-2.0
#include "base/locks/LeafMutex.h"
#include "base/system/Environment.h"
#include "options/Options.h"
#include <atomic>
#include <mutex>

namespace gpuinstr::options {

namespace {

struct Shared {
  LeafMutex mutex; ///< guards all but current
  OptionSet set;
  std::size_t problemsGiven = 0;
  std::atomic<const Options *> current{nullptr};

  Shared() {
    if (const char *text = trustedVariable("GPUINSTR_OPTIONS"))
      set.apply(text, Layer::Environment, "GPUINSTR_OPTIONS");
    current = new Options(set.values());
  }

  void apply(std::string_view text, Layer layer, std::string_view source) {
    std::lock_guard<std::mutex> lock(mutex);
    // Readers hold references without a lock, so an older version is never freed. Versions come
    // only with a change: a handful in a process's life.
    if (set.apply(text, layer, source))
      current = new Options(set.values());
  }
};

Shared &shared() {
  static Shared *instance = new Shared; // leaked: used during exit
  return *instance;
}

} // namespace

const Options &options() { return *shared().current.load(std::memory_order_acquire); }

void addBuiltInDefaults(const char *text) {
  if (text && *text)
    shared().apply(text, Layer::BuiltIn, "built-in defaults");
}

void setFromApi(std::string_view text) { shared().apply(text, Layer::Api, "options"); }

std::vector<std::string> optionProblems() {
  Shared &state = shared();
  std::lock_guard<std::mutex> lock(state.mutex);
  const std::vector<std::string> &all = state.set.problems();
  std::vector<std::string> fresh(all.begin() + static_cast<std::ptrdiff_t>(state.problemsGiven),
                                 all.end());
  state.problemsGiven = all.size();
  return fresh;
}

} // namespace gpuinstr::options
