// What a kernel's launch does between the user's frame and the stub's.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_LATE_LAUNCHSHAPE_H
#define GPUINSTR_PLUGIN_IR_LATE_LAUNCHSHAPE_H

#include "gpuinstr/abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <cstddef>
#include <optional>

namespace gpuinstr {

constexpr uint64_t EnterOffset = offsetof(gpuinstr_table, enter),
                   LeaveOffset = offsetof(gpuinstr_table, leave);

/// The runtime's table of one module, and calls through it.
class TableCalls {
public:
  explicit TableCalls(llvm::GlobalVariable &Table) : Table(Table) {}

  /// The function of the table that a call goes to; other calls: none.
  std::optional<uint64_t> offsetOf(const llvm::CallBase &Call) const;
  void insert(llvm::IRBuilder<> &B, uint64_t Offset, llvm::ArrayRef<llvm::Value *> Arguments) const;
  static void erase(llvm::CallInst &Call);

private:
  llvm::GlobalVariable &Table;
};

/// The next call behind an instruction, null where the frame changes before, or the ways part.
llvm::CallBase *nextCall(llvm::Instruction &From, const llvm::Value *Frame);
bool isZero(const llvm::Value *V);
/// The user's frame is entered and left before `Last`, if nothing was launched.
void enterIfOpen(const TableCalls &Table, llvm::CallInst &First, llvm::CallInst &Last);

/// What the stub does, as far as it has been found: in its own function, or inlined behind the
/// user's enter.
class Launch {
public:
  Launch(const TableCalls &Table, llvm::CallInst &First);
  explicit Launch(const TableCalls &Table) : Table(Table) {}

  /// Whether it has the shape that MergedLaunches.cpp shows, and the ways in it meet no other call.
  bool find();
  bool findIn(llvm::Function &Stub);
  /// Of a launch that is inlined.
  void merge();
  /// In a function that gets the user's frame, or null.
  void merge(llvm::Value &Frame) const;

private:
  using Place = llvm::BasicBlock::iterator;
  enum class Way { On, Ends, Fails };
  Way way(llvm::CallBase &Call);
  bool follow(Place From);
  bool findLaunched();
  bool hasOtherWaysIn() const;
  void mergeInner(llvm::Value &Frame, llvm::Instruction &Enters, llvm::Instruction &Leaves,
                  bool TakesSite) const;

  const TableCalls &Table;
  llvm::CallInst *First = nullptr; ///< the user's enter; null in the stub's own function
  const llvm::Value *User = nullptr;
  llvm::CallInst *Inner = nullptr, *InnerLeft = nullptr, *Last = nullptr;
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> Blocks;
  bool MayLaunchNothing = false; ///< a way leads past the launch
};

} // namespace gpuinstr

#endif
