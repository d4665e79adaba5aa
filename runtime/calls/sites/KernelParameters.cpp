// A kernel's parameters as the plugin described them.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/KernelParameters.h"
#include <cstddef>
#include <utility>

namespace gpuinstr {

namespace {

/// All bits but one say what may be done.
uint8_t either(uint8_t one, uint8_t other) {
  constexpr uint8_t Promises = GPUINSTR_ACCESS_REGULAR;
  return ((one | other) & ~Promises) | (one & other & Promises);
}

const KernelParameter::Member *memberAt(const KernelParameter &parameter, uint32_t offset) {
  for (const KernelParameter::Member &member : parameter.members)
    if (member.offset == offset)
      return &member;
  return nullptr;
}

void add(KernelParameter &parameter, const KernelParameter &other) {
  if (parameter.bytes != other.bytes || parameter.pointer != other.pointer)
    parameter.bytes = 0;
  parameter.access = either(parameter.access, other.access);
  // A member that one of them does not know is as the whole parameter.
  std::vector<KernelParameter::Member> both;
  for (const KernelParameter::Member &member : parameter.members)
    if (const KernelParameter::Member *same = memberAt(other, member.offset))
      both.push_back({member.offset, either(member.access, same->access)});
  parameter.members = std::move(both);
}

} // namespace

KernelParameters describedParameters(const gpuinstr_kernel &kernel) {
  KernelParameters all(kernel.num_params);
  for (uint32_t i = 0; i < kernel.num_params; ++i)
    all[i] = {kernel.params[i].bytes, kernel.params[i].pointer, kernel.params[i].access, {}};
  if (kernel.size < offsetof(gpuinstr_kernel, reserved)) // of older code
    return all;
  for (uint32_t i = 0; i < kernel.num_members; ++i)
    if (const gpuinstr_member &member = kernel.members[i]; member.param < all.size())
      all[member.param].members.push_back({member.offset, member.access});
  return all;
}

void addParameters(KernelParameters &parameters, const KernelParameters &others) {
  if (parameters.size() != others.size()) {
    parameters = {KernelParameter()};
    return;
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    add(parameters[i], others[i]);
}

} // namespace gpuinstr
