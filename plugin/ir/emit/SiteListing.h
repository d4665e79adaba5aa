// The table of sites as text: list-sites.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_SITELISTING_H
#define GPUINSTR_PLUGIN_IR_EMIT_SITELISTING_H

#include "ir/emit/Descriptors.h"
#include "llvm/Support/raw_ostream.h"

namespace gpuinstr {

/// One line a site, in the order of the code:
///   file:line:column: kind callee(arguments) -> variable : type in function [flags] {slots} <-
///   callers
/// then one a kernel:
///   file:line: kernel name(parameter access, ...)    access: of r w e ?, "" not a pointer
/// then one an entry point whose address was taken.
void listSites(llvm::raw_ostream &OS, const std::deque<Site> &Sites, const SiteTable *Table,
               const llvm::Module &M, llvm::ArrayRef<std::string> AddressesTaken);

} // namespace gpuinstr

#endif
