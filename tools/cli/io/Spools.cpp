// What dead processes left: the files of option spool=DIR.
// SPDX-License-Identifier: Apache-2.0
#include "io/Spools.h"
#include "base/system/SpoolFile.h"
#include "io/Failure.h"
#include "profile/Json.h"

namespace gpuinstr::cli {

/// Texts that end with a zero byte, in the order of process/output/Spool.cpp.
static std::string nextSetting(std::string &settings) {
  std::string text = settings.substr(0, settings.find('\0'));
  settings.erase(0, text.size() + 1);
  return text;
}

LastState lastStateOf(const std::string &content, const std::string &file) {
  SpoolState found;
  LastState last;
  std::string error;
  if (!readSpool(content, found, error))
    throw Failure(file + ": " + error);
  if (found.state.empty())
    throw Failure(file + ": the process ended before its first state was written");
  if (!profile::fromJson(found.state, last.profile, error))
    throw Failure(file + ": no profile: " + error);
  last.profile.process.ended = "killed";
  last.takenNs = found.takenNs;
  last.startTicks = found.owner.startTicks;
  last.json = nextSetting(found.owner.settings);
  last.report = nextSetting(found.owner.settings);
  return last;
}

std::string newestSpool() {
  std::string folder = automaticSpoolFolder();
  if (folder.empty())
    throw Failure(
        "report: no file given, and spool=auto keeps none here: XDG_RUNTIME_DIR is not set, or not "
        "its user's alone");
  std::vector<std::string> dead = deadSpools(folder);
  if (dead.empty())
    throw Failure("report: no file given, and no process left one in " + folder);
  return dead.front();
}

} // namespace gpuinstr::cli
