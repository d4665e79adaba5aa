// How a run is watched, and what is said where nothing was.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LAUNCH_WATCHING_H
#define GPUINSTR_CLI_LAUNCH_WATCHING_H

#include <string>

namespace gpuinstr::cli {

/// Whether a file was compiled with the plugin, or may start what was: a script.
using CarriesSites = bool (*)(const std::string &path);

struct Watching {
  std::string folder;     ///< the environment's spool; "" it has none
  bool ownFolder = false; ///< made by makeSpoolFolder
  bool saysWhy = false;   ///< a line where nothing was watched
  bool mustWatch = false; ///< ... and exit code 2
  bool attached = false;  ///< whatever the program is made of
  bool simulated = false;
  CarriesSites carriesSites = nullptr;
};

} // namespace gpuinstr::cli

#endif
