// Functions that nvcc makes of kernels, for launches by <<<>>>.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_KERNELSTUBS_H
#define GPUINSTR_ATTACH_NATIVE_KERNELSTUBS_H

#include <string>
#include <unordered_set>

namespace gpuinstr::attach {

/// A launch calls a function with the kernel's name, and that one __device_stub__<its name>.
class KernelStubs {
public:
  KernelStubs() = default;
  /// Of those in a module's table of symbols.
  explicit KernelStubs(const std::string &module);

  /// Whether a function may be such a one: the module was built by nvcc, and has names.
  bool any() const { return MayHave; }
  /// `function`: as debug information or a table of symbols has it.
  bool has(const std::string &function) const;
  void add(const std::string &kernel);

private:
  bool MayHave = false;
  std::unordered_set<std::string> Mangled, Plain;
};

/// Looked up once, never freed.
const KernelStubs &kernelStubsOf(const std::string &module);
/// The kernel, mangled, of __device_stub__Z5scalePf and _Z25__device_stub__Z5scalePfPf; "" none.
std::string kernelOfStub(const std::string &function);

} // namespace gpuinstr::attach

#endif
