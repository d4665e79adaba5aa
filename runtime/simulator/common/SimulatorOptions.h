// Options of the simulated device, read once from the environment variable GPUINSTR_SIM.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace gpuinstr::sim {

/// `GPUINSTR_SIM=key=value:key=value`; docs/Simulator.md describes each key.
struct Options {
  size_t memory = size_t(16) << 30; ///< Bytes of memory of each simulated device.
  int devices = 1;                  ///< Number of simulated devices, 0 to 64.
  int threads = 0;                  ///< System threads that run kernels, 1 to 1024; 0: all cores.
  bool skipKernels = false;         ///< Kernels without embedded code count as done, else refused.
  bool guardPages = true;           ///< A guard page behind each allocation.
  bool tellsHostArguments = false;  ///< A line for kernels that get addresses of the host's.
  bool reachesHost = false;         ///< The device says that its kernels reach all host memory.
  bool log = false;                 ///< One line on stderr for each call.
  std::string fail;                 ///< Calls that fail: api/Failures.h; empty: none.
  std::string oracle;               ///< Where the truth goes at exit; empty: nobody asks.
  bool help = false;                ///< Print the keys on stderr at first use.
};

/// Parses \p text (may be null). A bad value costs one line on stderr and leaves the default.
Options parseOptions(const char *text);

/// Parses a byte count with an optional suffix K, M, G or T (powers of 1024).
/// Returns false when \p text is no such number or the value does not fit.
bool parseBytes(const char *text, size_t &bytes);

/// The options of this process.
const Options &options();

/// System threads that run kernels, at least 1.
int simulatorThreads();

} // namespace gpuinstr::sim
