// Repeats the device compile inside the host compile, for the optimised NVPTX module.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_COMPILE_DEVICECOMPILE_H
#define GPUINSTR_PLUGIN_SIMULATE_COMPILE_DEVICECOMPILE_H

#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang
namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace gpuinstr {

/// How to compile the same source for the device, as the host compile tells it.
struct DeviceJob {
  struct Option {
    std::string Name, Value;
  };
  std::vector<std::string> Arguments; ///< of cc1
  std::vector<Option> Headers; ///< in place of the host's precompiled header: the first that fits
  std::string Unit;            ///< main source file
  std::string Problem;         ///< why there can be no such compile, "" if there can
  unsigned Arch = 90;          ///< 90 for sm_90
  bool Relocatable = false;    ///< -fgpu-rdc
};

/// To be called before the host's code generation options are changed. Arch is "sm_90" or "" for
/// the newest one that the program is compiled for.
DeviceJob planDeviceCompile(clang::CompilerInstance &Host, const std::string &Arch);

/// Null with the first error in Error. Prints nothing: the driver's own device compile has done so.
std::unique_ptr<llvm::Module> compileForDevice(const DeviceJob &Job, llvm::LLVMContext &Context,
                                               std::string &Error);

} // namespace gpuinstr

#endif
