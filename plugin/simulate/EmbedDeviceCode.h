// The pass that embeds a unit's device code in its host object, for the simulated device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_EMBEDDEVICECODE_H
#define GPUINSTR_PLUGIN_SIMULATE_EMBEDDEVICECODE_H

#include "simulate/compile/DeviceCompile.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace gpuinstr {

/// Compiles the device code, retargets it and links it into the host's module. What cannot be
/// embedded is named in the records: the simulator then refuses the launch.
class EmbedDeviceCodePass : public llvm::PassInfoMixin<EmbedDeviceCodePass> {
public:
  explicit EmbedDeviceCodePass(std::shared_ptr<const DeviceJob> Job) : Job(std::move(Job)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<const DeviceJob> Job;
};

} // namespace gpuinstr

#endif
