// spool=DIR: the profile as it was a moment before any death.
// SPDX-License-Identifier: Apache-2.0
//
// Handlers for faults would be seen by the program's own ones and would change core dumps, and
// nobody handles SIGKILL. So the state lies in a file (base/system/SpoolFile.h), which the thread
// of PeriodicOutput.cpp writes now and then, and which goes when the report is made. `gpuinstr run`
// and `gpuinstr report` read what a dead process left.
#include "process/output/Spool.h"
#include "base/Guard.h"
#include "base/system/Environment.h"
#include "base/system/SpoolFile.h"
#include "base/text/Stderr.h"
#include "options/Options.h"
#include "options/PathPattern.h"
#include "profile/Json.h"
#include <algorithm>
#include <chrono>
#include <mutex>
#include <sys/stat.h>
#include <system_error>

namespace gpuinstr {

namespace {

constexpr uint64_t FirstBytes = 128 << 10; ///< room for some fifty sites
constexpr uint64_t LongestPauseNs = 1000000000, ShortestPauseNs = 20000000;
constexpr unsigned MostDead = 8;          ///< that wait for a reader in the automatic folder
constexpr uint64_t InAdvanceNs = 2000000; ///< of cost, so that short runs have a state, too

struct Spool {
  std::timed_mutex mutex;
  SpoolFile file;
  bool failed = false;
};
/// Leaked: used during exit. A forked child takes a new one: nobody there lets go of the lock.
Spool *&spool() {
  static Spool *instance = new Spool;
  return instance;
}

bool isAutomatic() { return options::options().spool == "auto"; }

/// With the last state these two become what the process itself would have written.
std::string settings() {
  const options::Options &options = options::options();
  std::string text;
  for (const std::string *pattern : {&options.json, &options.report}) {
    bool path = !pattern->empty() && *pattern != "stderr" && *pattern != "off";
    text += path ? options::absolutePath(options::expandPath(*pattern)) : *pattern;
    text += '\0';
  }
  return text;
}

std::string folder() {
  if (!isAutomatic())
    return options::absolutePath(options::options().spool);
  std::string path = automaticSpoolFolder();
  if (!path.empty())
    ::mkdir(path.c_str(), 0700);
  return path;
}

int open(Spool &s) {
  std::string where = folder();
  struct stat is = {};
  if (where.empty() || ::stat(where.c_str(), &is) != 0)
    return ENOENT; // as on the other hosts of a launcher that `gpuinstr run` started
  if (!S_ISDIR(is.st_mode))
    return ENOTDIR;
  if (!isLocalFolder(where.c_str()))
    return ENOTSUP;
  if (isAutomatic())
    dropOldSpools(where, MostDead);
  SpoolOwner owner = thisSpoolOwner();
  owner.settings = settings();
  return s.file.create(where, owner, FirstBytes);
}

/// Who asked for one is told why there is none.
void tell(int error) {
  if (isAutomatic() || error == ENOENT)
    return;
  std::string why = error == ENOTSUP ? "not on a local file system that allocates in advance"
                                     : std::error_code(error, std::generic_category()).message();
  writeToStderr("gpuinstr: no spool in '" + options::options().spool + "': " + why + "\n");
}

} // namespace

bool wantsSpool() {
  const options::Options &options = options::options();
  if (options.spool == "off" || options.spool.empty() || options.budget == 0)
    return false;
  if (!isAutomatic())
    return true;
  return (options.report != "off" || !options.json.empty()) && !automaticSpoolFolder().empty();
}

bool writeSpool(const profile::Profile &profile, uint64_t takenNs) {
  Spool &s = *spool();
  std::unique_lock<std::timed_mutex> lock(s.mutex, std::try_to_lock);
  if (!lock.owns_lock() || s.failed)
    return false;
  int error = s.file.exists() ? 0 : open(s);
  if (!error)
    error = s.file.write(profile::toJson(profile), takenNs);
  if (error && !s.file.exists()) {
    tell(error);
    s.failed = true;
  }
  return !s.failed;
}

void removeSpool() {
  Spool &s = *spool();
  // A file that stays is better than a program that hangs.
  std::unique_lock<std::timed_mutex> lock(s.mutex, std::chrono::milliseconds(100));
  if (!lock.owns_lock())
    return;
  s.failed = true; // no other is made
  s.file.remove();
}

void forgetSpool() { spool() = new Spool; }

uint64_t spoolPauseNs(uint64_t runNs, uint64_t spentNs, uint64_t lastNs, unsigned budgetPercent) {
  uint64_t pause = std::clamp(runNs, ShortestPauseNs, LongestPauseNs);
  constexpr unsigned Share = 4;
  uint64_t affordable = (spentNs + lastNs) * 100 * Share / std::max(budgetPercent, 1u);
  uint64_t earned = runNs + InAdvanceNs * 100 * Share / std::max(budgetPercent, 1u);
  return affordable > earned + pause ? affordable - earned : pause;
}

} // namespace gpuinstr
