// What the plugin knows of one site.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_SITE_H
#define GPUINSTR_PLUGIN_IR_EMIT_SITE_H

#include "gpuinstr/abi.h"
#include <string>
#include <type_traits>
#include <vector>

namespace llvm {
class Constant;
} // namespace llvm

namespace gpuinstr {

/// The contents of one gpuinstr_site.
struct Site {
  uint16_t Op = 0, Resource = 0, Detail = 0;
  uint32_t Flags = 0, Slots = 0;
  unsigned Line = 0, Column = 0;
  uint64_t Id = 0, CalleeHash = 0;
  uint64_t OwnHash = 0; ///< of the enclosing function; not emitted
  std::string File, Function, Callee, Variable, Type, Ignore;
  std::vector<std::string> Arguments;
  std::vector<std::string> Members;    ///< see CallDescription; not emitted
  std::vector<std::string> Parameters; ///< of the enclosing function; see namesParameters()
  bool FillsParameter = false;         ///< see CallDescription; not emitted
  bool KernelIsGiven = false;          ///< likewise
  bool IsOwnObject = false;            ///< likewise
  bool ReturnsHeld = false;            ///< likewise

  bool namesParameters() const {
    return (Flags & (GPUINSTR_SITE_THROUGH | GPUINSTR_SITE_NAMES)) ||
           ((Flags & GPUINSTR_SITE_WRAPPER) && Op != GPUINSTR_OP_CALLER);
  }
  /// Of the site's arguments, and where it names its function's parameters these and a null.
  std::size_t numBehind() const {
    return Arguments.size() + (namesParameters() ? Parameters.size() + 1 : 0);
  }
};

/// A number or an address.
struct Field {
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Field(T Number) : Number(Number) {}
  Field(llvm::Constant *Address) : Address(Address) {}

  uint64_t Number = 0;
  llvm::Constant *Address = nullptr;
};

/// Calls Use with values for all fields of gpuinstr_site, in order. Text: of a text, what stands
/// for it; Arguments: for the list of them.
template <class TextOf, class Receiver>
auto withFields(const Site &S, Field Arguments, uint64_t Hash, TextOf Text, Receiver Use) {
  return Use({sizeof(gpuinstr_site), 0, S.Op, S.Resource, S.Flags, S.Detail, S.Arguments.size(),
              S.Slots, S.Line, S.Column, S.Id, Hash, Text(S.File), Text(S.Function), Text(S.Callee),
              Text(S.Variable), Text(S.Type), Text(S.Ignore), Arguments});
}

} // namespace gpuinstr

#endif
