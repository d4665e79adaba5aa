// Turns a module for NVPTX into one for the host: one flat memory, the host's data layout.
// SPDX-License-Identifier: Apache-2.0
//
// LLVM has no way to change the address space of a type in place, and constants are uniqued by
// type. The textual form says each address space as the token `addrspace(N)`: without it, and with
// casts between spaces turned into bitcasts of equal types, the text reads as the same program on
// flat memory. This also moves the module from the device compile's context to the host's.
#include "simulate/compile/Retarget.h"
#include "compat/LLVMCompat.h"
#include "simulate/library/DeviceNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpuinstr {
namespace {

unsigned leadingNumber(StringRef Text) {
  unsigned Value = 0;
  return Text.consumeInteger(10, Value) ? 0 : Value;
}

/// Up to LLVM 20 kernels and their bounds stand in metadata, later at the function.
void readAnnotations(const Module &M, DeviceFacts &Facts) {
  StringMap<DeviceFacts::Kernel> Found;
  if (const NamedMDNode *Node = M.getNamedMetadata("nvvm.annotations"))
    for (const MDNode *Entry : Node->operands()) {
      const auto *F = Entry->getNumOperands()
                          ? mdconst::dyn_extract_or_null<Function>(Entry->getOperand(0))
                          : nullptr;
      for (unsigned I = 1; F && I + 1 < Entry->getNumOperands(); I += 2) {
        const auto *Key = dyn_cast<MDString>(Entry->getOperand(I));
        const auto *Value = mdconst::dyn_extract<ConstantInt>(Entry->getOperand(I + 1));
        if (Key && Value && Key->getString() == "kernel")
          Found[F->getName()].Name = F->getName().str();
        else if (Key && Value && Key->getString() == "maxntidx")
          Found[F->getName()].MaxThreads = Value->getZExtValue();
      }
    }
  for (const Function &F : M) {
    auto It = Found.find(F.getName());
    const bool Marked = It != Found.end() && !It->second.Name.empty();
    if (F.isDeclaration() || (F.getCallingConv() != CallingConv::PTX_Kernel && !Marked))
      continue;
    unsigned Bound = It != Found.end() ? It->second.MaxThreads : 0;
    if (F.hasFnAttribute("nvvm.maxntid"))
      Bound = leadingNumber(F.getFnAttribute("nvvm.maxntid").getValueAsString());
    Facts.Kernels.push_back({F.getName().str(), Bound});
  }
}

void dropMetadata(Module &M) {
  StripDebugInfo(M);
  SmallVector<NamedMDNode *, 8> Named;
  for (NamedMDNode &Node : M.named_metadata())
    Named.push_back(&Node);
  for (NamedMDNode *Node : Named)
    Node->eraseFromParent();
  for (StringRef Name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *G = M.getNamedGlobal(Name))
      G->eraseFromParent();
}

/// Keeps no attribute that the device's optimiser inferred: reading threadIdx becomes reading
/// memory.
AttributeList keptAttributes(LLVMContext &C, const AttributeList &All) {
  AttrBuilder Kept(C);
  for (Attribute::AttrKind Kind : {Attribute::NoInline, Attribute::AlwaysInline,
                                   Attribute::NoReturn, Attribute::Cold, Attribute::NoUnwind})
    if (All.hasFnAttr(Kind))
      Kept.addAttribute(Kind);
  return All.removeFnAttributes(C).addFnAttributes(C, Kept);
}

bool isLLVMIntrinsic(const Function &F) { return F.getName().starts_with("llvm."); }

void adaptFunctions(Module &M) {
  LLVMContext &C = M.getContext();
  for (Function &F : M) {
    // No longer an intrinsic, or the reader would check and upgrade its signature.
    if (F.getName().starts_with("llvm.nvvm."))
      F.setName(NvvmPrefix + F.getName().drop_front(strlen("llvm.nvvm.")));
    if (isLLVMIntrinsic(F))
      continue;
    F.setCallingConv(CallingConv::C);
    F.setAttributes(keptAttributes(C, F.getAttributes()));
    F.addFnAttr(Attribute::NoUnwind);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        Call->setCallingConv(CallingConv::C);
        const Function *Callee = Call->getCalledFunction();
        if (!Callee || !isLLVMIntrinsic(*Callee))
          Call->setAttributes(keptAttributes(C, Call->getAttributes()));
      }
  }
}

bool inName(char C) { return isAlnum(C) || StringRef("-$._%@").contains(C); }

/// Quoted text is left alone: strings, names, inline assembly.
std::string flatten(StringRef Text) {
  constexpr StringLiteral Space = "addrspace(", Cast = "addrspacecast";
  std::string Out;
  Out.reserve(Text.size());
  bool Quoted = false;
  for (size_t I = 0; I < Text.size();) {
    const char C = Text[I];
    if (C == '"')
      Quoted = !Quoted;
    const bool Starts = !Quoted && C == 'a' && (Out.empty() || !inName(Out.back()));
    if (Starts && Text.substr(I).starts_with(Space)) {
      I = Text.find(')', I) + 1;
      if (!Out.empty() && Out.back() == ' ')
        Out.pop_back();
      if (!Out.empty() && Out.back() == ',') // of an alloca
        Out.pop_back();
      continue;
    }
    if (Starts && Text.substr(I).starts_with(Cast)) {
      Out += "bitcast";
      I += Cast.size();
      continue;
    }
    Out += C;
    ++I;
  }
  return Out;
}

} // namespace

std::unique_ptr<Module> retarget(Module &Device, const Module &Host, DeviceFacts &Facts,
                                 std::string &Error) {
  readAnnotations(Device, Facts);
  for (const GlobalVariable &G : Device.globals())
    if (G.getAddressSpace() && G.hasName())
      Facts.Space[G.getName()] = G.getAddressSpace();
  dropMetadata(Device);
  adaptFunctions(Device);
  compat::copyTarget(Device, Host);
  Device.setModuleInlineAsm("");
  std::string Text;
  raw_string_ostream(Text) << Device;
  Text = flatten(Text);
  SMDiagnostic Problem;
  LLVMContext &C = Host.getContext();
  const bool Discards = C.shouldDiscardValueNames();
  C.setDiscardValueNames(false); // the reader wants it so
  std::unique_ptr<Module> Flat = parseAssembly(MemoryBufferRef(Text, "device code"), Problem, C);
  C.setDiscardValueNames(Discards);
  if (!Flat) {
    raw_string_ostream(Error) << "line " << Problem.getLineNo() << ": " << Problem.getMessage()
                              << ": " << Problem.getLineContents();
    return nullptr;
  }
  return Flat;
}

} // namespace gpuinstr
