// gpuinstr: runs instrumented programs and reads their profiles.
// SPDX-License-Identifier: Apache-2.0
#include "Commands.h"

int main(int argc, char **argv) {
  return gpuinstr::cli::runCommandLine(std::vector<std::string>(argv + 1, argv + argc));
}
