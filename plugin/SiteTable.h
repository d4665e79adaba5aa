// What the AST knows of each call, kept until the IR pass asks for it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SITETABLE_H
#define GPUINSTR_PLUGIN_SITETABLE_H

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace gpuinstr {

/// One call expression in a function that code generation emits.
struct CallDescription {
  std::string Mangled; ///< symbol of the enclosing function, as code generation names it
  std::string
      CalleeSymbol;     ///< symbol of the callee (a kernel: its host stub); "" for an indirect call
  unsigned Line = 0;    ///< as a reader of the source finds it
  unsigned Column = 0;  ///< 0 unknown
  unsigned Ordinal = 0; ///< 0, 1 ... among calls of one place and callee, in evaluation order

  std::string File;                   ///< presumed name, after -ffile-prefix-map
  std::string Function;               ///< qualified, with template arguments
  std::string Callee;                 ///< as CUDA spells it, with template arguments
  std::vector<std::string> Arguments; ///< as spelled in the source, macro arguments unexpanded
  std::vector<std::string> Members; ///< for each argument that begins with a member of *this: that
  std::vector<std::string> Parameters; ///< of the enclosing function, by name
  std::string Variable;                ///< ALLOC/CREATE: where it lands; COPY/SET: the destination
  std::string Type;                    ///< element type of Variable
  std::string Ignore;                  ///< text of a `// gpuinstr-ignore:` comment on the line
  bool Discarded = false;              ///< the source discards the result
  /// Variable gets what the call returns or constructs; COPY/SET: the function returns Variable, or
  /// what that is a part of
  bool ReceivesResult = false;
  bool ReceivesNew = false;      ///< ... the address of what it constructs
  bool ReturnsHeld = false;      ///< the callee returns what its object holds: see HeldResult.h
  bool IsBehindPointer = false;  ///< Variable leads to the object whose function it calls: `p->f()`
  bool IsOwnObject = false;      ///< it calls a function of *this, maybe a base class's
  bool IsLaunch = false;         ///< kernel<<<...>>>(...)
  bool FillsParameter = false;   ///< an argument is where a parameter of the function's points
  bool KernelIsGiven = false;    ///< who instantiates the function says what runs
  bool FromSystemHeader = false; ///< the call itself stands in a system or CUDA header
};

enum class PointerKind : uint8_t { None = 0, Pointer = 1, Aggregate = 2 };

/// A pointer in a parameter by value, or a number beside pointers.
struct MemberDescription {
  uint32_t Offset = 0;   ///< bytes from the begin of the argument
  uint8_t Access = 0;    ///< gpuinstr_access bits
  bool IsNumber = false; ///< an address may travel in it
};

struct ParamDescription {
  std::string Name, Type;
  uint32_t Bytes = 0;
  PointerKind Pointer = PointerKind::None;
  uint8_t Access = 0; ///< gpuinstr_access bits, of all pointers in it
  std::vector<MemberDescription> Members;
};

struct KernelDescription {
  std::string
      StubSymbol;   ///< symbol of the host stub: what the first argument of cudaLaunchKernel names
  std::string Name; ///< qualified, with template arguments
  std::string File;
  unsigned Line = 0;
  uint32_t Flags = 0; ///< gpuinstr_kernel_flags
  std::vector<ParamDescription> Params;
};

/// Where a function of this unit comes from, defined or only declared.
enum class FunctionOrigin : uint8_t {
  User,       ///< the program's own code
  System,     ///< a system header (std::): transparent, neither a site nor a caller
  CudaHeader, ///< an inline wrapper of cuda_runtime.h, a launch helper: inner to the caller's frame
  CudaLibrary, ///< thrust, cub, cooperative_groups ...: a call from user code is a region
};

class SiteTable;

/// Where the table gets its answers: the AST, asked only about symbols that the module has. Alive
/// until the IR pass has run.
class SiteSource {
public:
  virtual ~SiteSource() = default;
  /// Adds a description of every call in the function that Mangled names.
  virtual void describe(const std::string &Mangled, SiteTable &Into) = 0;
  virtual std::vector<KernelDescription> kernels() = 0;
  virtual FunctionOrigin origin(const std::string &Symbol) = 0;
  virtual std::string functionName(const std::string &Symbol) = 0;
  virtual uint64_t pointersToConst(const std::string &Symbol) = 0;
};

/// Symbol without what the AST cannot know: the running number of a lambda with internal linkage,
/// and the variant (complete, base, deleting) of a constructor or destructor. For keys only.
std::string normalisedSymbol(const std::string &Symbol);

class SiteTable {
public:
  void setSource(std::shared_ptr<SiteSource> S) { Source = std::move(S); }
  /// Line and Column of the debug location that code generation gives the call: the key.
  void add(CallDescription D, unsigned Line, unsigned Column);

  /// Exact join first; then the same place where either side has no callee symbol; nullptr where
  /// nothing fits. Each description is handed out once per (Mangled, Line, Column, CalleeSymbol) in
  /// order, then again for a call that code generation emits twice. Describes Mangled at first, and
  /// forgets the function before: what it has handed out of that is gone.
  const CallDescription *take(const std::string &Mangled, unsigned Line, unsigned Column,
                              const std::string &CalleeSymbol);
  /// Every kernel of this unit, template instantiations included.
  const std::vector<KernelDescription> &kernels() const;
  /// User when nothing is known. Symbols that are only declared have an origin too.
  FunctionOrigin origin(const std::string &Symbol) const;
  /// Qualified source name of a function's symbol, "" when the AST did not see it.
  std::string functionName(const std::string &Symbol) const;
  /// Bits: parameters of a function that point to const values which hold no pointers themselves;
  /// 0 where any of its parameters is no scalar. The first 64.
  uint64_t pointersToConst(const std::string &Symbol) const {
    return Source ? Source->pointersToConst(Symbol) : 0;
  }
  /// How many calls the functions have that take() was asked about so far.
  std::size_t numDescribed() const { return NumDescribed; }

  /// Gives the memory back once the module is rewritten: code generation has its peak later.
  void release();

private:
  /// Calls of one place and callee, by index; those before First are taken. A macro may put any
  /// number of calls at one place.
  struct Queue {
    std::vector<std::size_t> Calls;
    std::size_t First = 0;
  };
  struct Place {
    Queue All;
    std::map<std::string, Queue> ByCallee; ///< by normalised symbol
  };
  struct Function {
    std::deque<CallDescription> Calls;           ///< a deque: take() hands out addresses
    std::vector<bool> Taken;                     ///< by index into Calls
    std::unordered_map<uint64_t, Place> ByPlace; ///< by line and column
    std::size_t next(Queue &Q) const;
  };
  Function &described(const std::string &Mangled);

  std::shared_ptr<SiteSource> Source;
  std::unordered_map<std::string, Function> Functions; ///< by symbol: the last one, initialisers
  std::string Last;
  std::size_t NumDescribed = 0;
  mutable bool KernelsListed = false;
  mutable std::vector<KernelDescription> Kernels;
  mutable std::unordered_map<std::string, FunctionOrigin> Origins;
  mutable std::unordered_map<std::string, std::string> Names;
};

} // namespace gpuinstr

#endif
