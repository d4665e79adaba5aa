// Whether a program that ran was watched at all, and if not, why.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LAUNCH_WITNESS_H
#define GPUINSTR_CLI_LAUNCH_WITNESS_H

#include <string>

namespace gpuinstr::cli {

/// The file that the runtime writes a word into when it made a report; the program finds its name
/// in the environment.
class Witness {
public:
  Witness();
  ~Witness() { remove(); }
  Witness(const Witness &) = delete;
  Witness &operator=(const Witness &) = delete;

  void remove();
  /// Why the program at `path` was not watched; "" it was.
  std::string reason(const std::string &path) const;

private:
  std::string Path;
};

/// Whether a program carries CUDA's runtime inside, so that the simulator cannot stand in for it.
bool hasStaticCudart(const std::string &path);

} // namespace gpuinstr::cli

#endif
