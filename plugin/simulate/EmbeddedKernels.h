// The device code that a host object carries, as its records describe it to the simulator.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_EMBEDDEDKERNELS_H
#define GPUINSTR_PLUGIN_SIMULATE_EMBEDDEDKERNELS_H

#include "simulate/lower/Lowering.h"

namespace gpuinstr {

/// A kernel as its record says it; the host's symbols are found when the record is written.
struct EmbeddedKernel {
  struct Parameter {
    uint32_t Offset, Bytes;
  };
  std::string Name;
  std::string Refused;
  std::string Run; ///< name of the function, "" when refused
  llvm::SmallVector<Parameter, 8> Parameters;
  uint32_t Flags = 0;
  uint32_t SharedBytes = 0;
  uint32_t MaxThreads = 0;
  uint32_t FrameBytes = 0; ///< of a thread, for its step function
};

struct EmbeddedVariable {
  std::string Name;
  uint64_t Bytes = 0;
  unsigned Align = 1;
  unsigned Space = 1;
};

/// All that a unit registers.
struct EmbeddedUnit {
  std::string Unit;
  std::string Unreadable;
  unsigned Arch = 0;
  bool Relocatable = false;
  uint64_t SharedBytes = 0;
  llvm::SmallVector<EmbeddedKernel, 8> Kernels;
  llvm::SmallVector<EmbeddedVariable, 8> Variables;
  llvm::SmallVector<SharedVariable, 8> Shared; ///< Cell is not used: found by name
};

/// Writes the records into the host's module, with a constructor that registers them.
void writeRecords(llvm::Module &Host, const EmbeddedUnit &Unit);

} // namespace gpuinstr

#endif
