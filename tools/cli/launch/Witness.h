// Whether a program that ran was watched at all, and if not, why.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LAUNCH_WITNESS_H
#define GPUINSTR_CLI_LAUNCH_WITNESS_H

#include "launch/Watching.h"
#include <string>

namespace gpuinstr::cli {

/// The file that the runtime writes a word into when it made a report; the program finds its name
/// in the environment.
class Witness {
public:
  /// Throws Failure where no file can be made and it is `needed`.
  explicit Witness(bool needed);
  ~Witness() { remove(); }
  Witness(const Witness &) = delete;
  Witness &operator=(const Witness &) = delete;

  void remove();
  /// Whether a process of the run made a report of a device; true where nobody can tell.
  bool sawReport() const;
  /// Why the program at `path` was not watched.
  std::string reason(const std::string &path, const Watching &watching) const;

private:
  std::string said() const;

  std::string Path; ///< "" there is none
};

/// Whether a program carries CUDA's runtime inside, so that the simulator cannot stand in for it.
bool hasStaticCudart(const std::string &path);

} // namespace gpuinstr::cli

#endif
