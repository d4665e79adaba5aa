// Rows of threads that all pass the kernel's guards run in a loop without them.
// SPDX-License-Identifier: Apache-2.0
//
// `if (i < n)` around a kernel's work keeps LLVM from using vector instructions, as nobody says
// that the loads and stores of the other threads are safe. Behind the optimiser's simplifications
// and before its vectoriser, the loop over a row of threads gets a copy in which guards are gone,
// for rows of which a few instructions before the loop show that no thread fails them.
//
//     if (guards hold in the row's first and last thread, and between)   // RowGuards.h
//       for (threads) work;
//     else
//       for (threads) if (guards) work;
//
// Kernels in grid-stride form, `for (i = ...; i < n; i += stride) work`, have rounds instead:
//
//     for (offset = 0; all threads go on at i + offset; offset += stride)
//       for (threads) work at i + offset;
//     for (threads) for (i += offset; i < n; i += stride) work;
//
// Threads of such kernels do not wait for each other, so that each order of them is right.
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
