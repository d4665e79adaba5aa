// What the process does with each part of the runtime: start, fork, reset, profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_PART_H
#define GPUINSTR_BASE_PART_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr {

namespace profile {
struct Profile;
}
struct FindingRecord;
struct ProfileScope;

/// How a process comes to its report. Killed: by _exit or quick_exit, what is live is no leak;
/// Early: by a signal, or by exit() behind an error, nor would it have been unused. Now: it goes
/// on.
enum class Ending { Exit, Killed, Early, Now };

/// A feature, or a store that outlives calls. process/Parts.cpp lists them all; nothing else names
/// them one by one. A part is made on first use and never destroyed: it is used during exit.
class Part {
public:
  virtual ~Part() = default;

  /// Once, before the first enter.
  virtual void start() {}

  /// In exit(), while CUDA is alive: takes in what the driver answers no more when the report is
  /// made.
  virtual void beforeTeardown() {}
  /// Takes in what is still under way.
  virtual void beforeReport(Ending) {}

  /// Around fork, so that the child finds the state whole.
  virtual void lock() {}
  virtual void unlock() {}
  /// In the child, unlocked again: what was the parent's is forgotten. Other threads are gone.
  virtual void childAfterFork() {}

  /// gpuinstr_reset(): forgets what was measured and found, not what is live.
  virtual void reset() {}

  /// Adds findings, and lines for coverage.notes.
  virtual void findings(std::vector<FindingRecord> &, Ending) {}
  virtual void notes(std::vector<std::string> &, Ending) {}

  /// Adds what it knows; may list further sites. Process, devices and called sites are there.
  virtual void fill(profile::Profile &, ProfileScope &) {}
  /// The same once all sites and findings are listed.
  virtual void complete(profile::Profile &, ProfileScope &) {}
};

} // namespace gpuinstr

#endif
