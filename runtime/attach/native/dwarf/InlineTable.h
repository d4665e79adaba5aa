// Functions of one unit, and what was inlined into them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_DWARF_INLINETABLE_H
#define GPUINSTR_ATTACH_NATIVE_DWARF_INLINETABLE_H

#include "attach/native/dwarf/DebugUnit.h"

namespace gpuinstr::attach {

/// A function, or a call that was inlined.
struct InlinedCall {
  uint64_t entry = 0;          ///< its offset in .debug_info
  uint32_t outer = UINT32_MAX; ///< what it was inlined into; UINT32_MAX: it is a function
  uint32_t file = 0, line = 0, column = 0; ///< of the call
};

/// Keeps offsets alone, so that the sections need not stay.
class InlineTable {
public:
  static constexpr uint32_t None = UINT32_MAX;

  InlineTable(const DwarfSections &sections, const DebugUnit &unit);

  /// The innermost at an address; None.
  uint32_t at(uint64_t address) const;
  const InlinedCall &operator[](uint32_t which) const { return Calls[which]; }
  /// The namespace, class or function that an entry for a function lies in: an entry's offset, or
  /// NoOffset.
  uint64_t around(uint64_t entry) const;
  const Abbreviations &abbreviations() const { return Table; }
  size_t bytes() const;

private:
  struct Covered {
    uint64_t low, high;
    uint32_t call;
  };
  struct Scope {
    uint64_t entry;
    uint64_t around;
  };
  struct Reading;

  Abbreviations Table;
  std::vector<InlinedCall> Calls; ///< outer ones before those inside
  std::vector<Covered> Ranges;    ///< in the order of Calls
  std::vector<Scope> Scopes;      ///< by entry
};

} // namespace gpuinstr::attach

#endif
