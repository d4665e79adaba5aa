// Makes loops over rows of threads fit for the vectoriser: copies them without the kernel's guards.
// SPDX-License-Identifier: Apache-2.0
//
// A guard `if (i < n)` around a kernel's work prevents vectorisation: LLVM cannot know that the
// loads and stores of masked threads are safe. Just before the vectoriser, the loop over a row of
// threads therefore gets a copy without guards. A few instructions before the loop test that all
// threads of the row pass, and choose the copy.
//
//     if (guards hold in the row's first and last thread, and between)   // RowGuards.h
//       for (threads) work;
//     else
//       for (threads) if (guards) work;
//
// Grid-stride loops, `for (i = ...; i < n; i += stride) work`, become rounds of all threads:
//
//     for (offset = 0; all threads continue at i + offset; offset += stride)
//       for (threads) work at i + offset;
//     for (threads) for (i += offset; i < n; i += stride) work;
//
// The threads of such kernels do not wait for each other, so any order is correct.
#ifndef GPUINSTR_PLUGIN_SIMULATE_VECTORIZE_VECTORIZEROWS_H
#define GPUINSTR_PLUGIN_SIMULATE_VECTORIZE_VECTORIZEROWS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class PassBuilder;
} // namespace llvm

namespace gpuinstr {

/// Marks the loop over a row of threads around a kernel whose threads do not wait.
void markRow(llvm::Loop &Row);

class VectorizeRowsPass : public llvm::PassInfoMixin<VectorizeRowsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

/// Lets VectorizeRowsPass run before the vectoriser.
void registerVectorizeRows(llvm::PassBuilder &PB);

} // namespace gpuinstr

#endif
