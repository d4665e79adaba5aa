// The descriptors of many sites as bytes, with offsets in place of addresses.
// SPDX-License-Identifier: Apache-2.0
//
// Each address in an initialiser is a constant, an expression of the assembler, a fixup and a
// relocation: some 3 KB a site, at the peak of a compile. The program adds the addresses itself
// (gpuinstr_packed).
#ifndef GPUINSTR_PLUGIN_IR_EMIT_PACKEDSITES_H
#define GPUINSTR_PLUGIN_IR_EMIT_PACKEDSITES_H

#include "gpuinstr/abi.h"
#include "ir/emit/Site.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace gpuinstr {

class PackedSites {
public:
  PackedSites() = default;
  /// Layout: of gpuinstr_site.
  PackedSites(const llvm::Module &M, llvm::StructType *Layout, std::size_t Expected);

  void add(const Site &S);
  bool empty() const { return !Count; }
  /// No more are added.
  void close() { Offsets = {}; }

  /// Defines Packed, of the layout of gpuinstr_packed, and Sites, which is replaced: its type was
  /// that of an array of sites. List has a null for each site, in order.
  void define(llvm::GlobalVariable &Packed, llvm::GlobalVariable &Sites,
              llvm::GlobalVariable &List) const;

private:
  uint64_t text(llvm::StringRef Text);
  void append(std::string &To, uint64_t Number, unsigned Bytes) const;

  llvm::StructType *Layout = nullptr;
  const llvm::StructLayout *Places = nullptr;
  bool LittleEndian = true;
  unsigned Count = 0;
  std::string Sites, Arguments, Texts;
  llvm::StringMap<uint64_t> Offsets;
};

} // namespace gpuinstr

#endif
