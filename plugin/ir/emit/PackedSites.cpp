// The descriptors of many sites as bytes, with offsets in place of addresses.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/PackedSites.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include <initializer_list>

using namespace llvm;

namespace gpuinstr {
namespace {

GlobalVariable *bytes(Module &M, StringRef Bytes, bool IsConstant, StringRef Name) {
  Constant *Value = ConstantDataArray::getRaw(Bytes, Bytes.size(), Type::getInt8Ty(M.getContext()));
  return new GlobalVariable(M, Value->getType(), IsConstant, GlobalValue::InternalLinkage, Value,
                            Name);
}

} // namespace

PackedSites::PackedSites(const Module &M, StructType *Layout, std::size_t Expected)
    : Layout(Layout), Places(M.getDataLayout().getStructLayout(Layout)),
      LittleEndian(M.getDataLayout().isLittleEndian()) {
  Sites.reserve(Expected * sizeof(gpuinstr_site));
}

void PackedSites::append(std::string &To, uint64_t Number, unsigned Bytes) const {
  for (unsigned I = 0; I < Bytes; ++I)
    To += char(Number >> 8 * (LittleEndian ? I : Bytes - 1 - I));
}

uint64_t PackedSites::text(StringRef Text) {
  auto [Known, Fresh] = Offsets.try_emplace(Text, Texts.size());
  if (Fresh)
    Texts.append(Known->getKeyData(), Text.size() + 1);
  return Known->getValue() | GPUINSTR_PACKED_OFFSET;
}

/// Of calls the field for the hash of a callee, which nobody reads, has that of the function
/// around: one argument less in the code.
void PackedSites::add(const Site &S) {
  const uint64_t First = S.numBehind() ? Arguments.size() | GPUINSTR_PACKED_OFFSET : 0;
  for (const std::string &T : S.Arguments)
    append(Arguments, text(T), sizeof(void *));
  if (S.namesParameters()) {
    for (const std::string &T : S.Parameters)
      append(Arguments, text(T), sizeof(void *));
    append(Arguments, 0, sizeof(void *));
  }
  auto Write = [&](std::initializer_list<Field> Fields) {
    const std::size_t Start = Sites.size();
    unsigned I = 0;
    for (const Field &F : Fields) {
      const uint64_t At = Places->getElementOffset(I);
      Type *T = Layout->getElementType(I++);
      Sites.resize(Start + At); // what lies between fields is 0
      append(Sites, F.Number, T->isPointerTy() ? sizeof(void *) : T->getIntegerBitWidth() / 8);
    }
    Sites.resize(Start + sizeof(gpuinstr_site));
  };
  withFields(
      S, First, S.Op == GPUINSTR_OP_CALLER ? S.CalleeHash : S.OwnHash,
      [this](StringRef T) { return Field(text(T)); }, Write);
  ++Count;
}

void PackedSites::define(GlobalVariable &Packed, GlobalVariable &Declared,
                         GlobalVariable &List) const {
  Module &M = *Packed.getParent();
  GlobalVariable *Whole = bytes(M, Sites, /*IsConstant=*/false, "");
  Whole->copyAttributesFrom(&Declared); // its section, and that no sanitizer touches it
  Declared.replaceAllUsesWith(Whole);
  Whole->takeName(&Declared);
  Declared.eraseFromParent();
  GlobalVariable *Behind = bytes(M, Arguments, /*IsConstant=*/false, "__gpuinstr_arguments");
  Behind->copyAttributesFrom(Whole);
  GlobalVariable *Pool = bytes(M, Texts, /*IsConstant=*/true, "__gpuinstr_texts");
  Pool->setSanitizerMetadata(Whole->getSanitizerMetadata());
  Pool->setAlignment(Align(1));

  auto *T = cast<StructType>(Packed.getValueType());
  auto Word = [&](uint64_t Number) {
    return ConstantInt::get(Type::getInt32Ty(M.getContext()), Number);
  };
  Packed.setInitializer(ConstantStruct::get(T, {Word(sizeof(gpuinstr_packed)), Word(0), Word(Count),
                                                Word(Arguments.size() / sizeof(void *)), Whole,
                                                Behind, Pool, &List}));
  Packed.setLinkage(GlobalValue::InternalLinkage);
}

} // namespace gpuinstr
