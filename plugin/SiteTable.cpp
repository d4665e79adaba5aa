// Joins calls of the IR to what the AST knows of them.
// SPDX-License-Identifier: Apache-2.0
#include "SiteTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace gpuinstr {

std::string normalisedSymbol(const std::string &Symbol) {
  // A symbol that carries neither a lambda's running number nor a structor's variant stays as is.
  std::string Out;
  Out.reserve(Symbol.size());
  for (std::size_t I = 0; I < Symbol.size(); ++I) {
    if (Symbol[I] == '$' && I + 1 < Symbol.size() && Symbol[I + 1] == '_') {
      while (!Out.empty() && llvm::isDigit(Out.back()))
        Out.pop_back();
      Out += "$_";
      for (++I; I + 1 < Symbol.size() && llvm::isDigit(Symbol[I + 1]);)
        ++I;
      continue;
    }
    Out += Symbol[I];
  }
  if (Out.compare(0, 2, "_Z") != 0)
    return Out;
  for (std::size_t I = 2; I + 1 < Out.size(); ++I)
    if ((Out[I] == 'C' || Out[I] == 'D') && Out[I + 1] >= '0' && Out[I + 1] <= '5')
      Out[I + 1] = '2';
  return Out;
}

namespace {

/// Each dynamic initialiser of a variable is a function, whose number only code generation knows.
constexpr llvm::StringLiteral InitialiserSymbol = "__cxx_global_var_init";

uint64_t placeKey(unsigned Line, unsigned Column) { return uint64_t(Line) << 32 | Column; }

} // namespace

void SiteTable::add(CallDescription D, unsigned Line, unsigned Column) {
  std::string Callee = normalisedSymbol(D.CalleeSymbol);
  Function &In = Functions[D.Mangled];
  Place &At = In.ByPlace[placeKey(Line, Column)];
  Queue &Same = At.ByCallee[std::move(Callee)];
  D.Ordinal = Same.Calls.size();
  At.All.Calls.push_back(In.Calls.size());
  Same.Calls.push_back(In.Calls.size());
  In.Calls.push_back(std::move(D));
  In.Taken.push_back(false);
  ++NumDescribed;
}

/// A call that code generation emits twice takes its description again: the last resort.
std::size_t SiteTable::Function::next(Queue &Q) const {
  while (Q.First < Q.Calls.size() && Taken[Q.Calls[Q.First]])
    ++Q.First;
  return Q.Calls[Q.First < Q.Calls.size() ? Q.First : 0];
}

/// The pass asks function by function, but initialisers, which share a name, stand apart.
SiteTable::Function &SiteTable::described(const std::string &Mangled) {
  auto [Known, Fresh] = Functions.try_emplace(Mangled);
  if (!Fresh || !Source)
    return Known->second;
  if (Last != InitialiserSymbol)
    Functions.erase(Last);
  Last = Mangled;
  Source->describe(Mangled, *this);
  return Functions[Mangled];
}

const CallDescription *SiteTable::take(const std::string &Symbol, unsigned Line, unsigned Column,
                                       const std::string &CalleeSymbol) {
  const bool Initialiser = llvm::StringRef(Symbol).starts_with(InitialiserSymbol);
  Function &In = described(Initialiser ? InitialiserSymbol.str() : Symbol);
  auto Found = In.ByPlace.find(placeKey(Line, Column));
  if (Found == In.ByPlace.end())
    return nullptr;
  Place &At = Found->second;
  const std::string Callee = normalisedSymbol(CalleeSymbol);
  auto Known = At.ByCallee.find(Callee), Unnamed = At.ByCallee.find("");
  Queue *From = nullptr;
  if (Known != At.ByCallee.end())
    From = &Known->second;
  else if (Callee.empty())
    From = &At.All;
  else if (Unnamed != At.ByCallee.end())
    From = &Unnamed->second;
  if (!From)
    return nullptr;
  std::size_t Best = In.next(*From);
  In.Taken[Best] = true;
  return &In.Calls[Best];
}

const std::vector<KernelDescription> &SiteTable::kernels() const {
  if (Source && !KernelsListed) {
    KernelsListed = true;
    for (KernelDescription &K : Source->kernels())
      Kernels.push_back(std::move(K));
  }
  return Kernels;
}

FunctionOrigin SiteTable::origin(const std::string &Symbol) const {
  auto Known = Origins.find(Symbol);
  if (Known != Origins.end())
    return Known->second;
  FunctionOrigin O = Source ? Source->origin(Symbol) : FunctionOrigin::User;
  Origins.emplace(Symbol, O);
  return O;
}

std::string SiteTable::functionName(const std::string &Symbol) const {
  auto Known = Names.find(Symbol);
  if (Known != Names.end())
    return Known->second;
  std::string Name = Source ? Source->functionName(Symbol) : "";
  Names.emplace(Symbol, Name);
  return Name;
}

void SiteTable::release() {
  Source.reset();
  Functions.clear();
  Origins.clear();
  Names.clear();
}

} // namespace gpuinstr
