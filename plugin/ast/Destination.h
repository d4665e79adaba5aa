// The variable that a call's result or copy lands in, as a reader of the source knows it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_DESTINATION_H
#define GPUINSTR_PLUGIN_AST_DESTINATION_H

#include "clang/AST/Type.h"
#include <string>

namespace clang {
class ASTContext;
class Expr;
} // namespace clang

namespace gpuinstr {

struct ValueUse;
class SourceText;

struct Destination {
  std::string Variable; ///< `d_x`, `this->buf`, `ptrs[i]`, `*out`; "" unknown
  std::string Type;     ///< its element type; the handle's own type for streams and the like
};

class DestinationNamer {
public:
  DestinationNamer(clang::ASTContext &Context, SourceText &Text) : Context(Context), Text(Text) {}

  /// E is an address: names what stands there. `(void **)&d_x` is d_x.
  Destination behindAddress(const clang::Expr *E);
  /// E is a pointer or handle: names the buffer. `d_x + offset` and `&d_x[offset]` are d_x.
  Destination ofPointer(const clang::Expr *E);
  /// What the value of a call goes to: the variable declared with it or assigned from it.
  Destination ofUse(const ValueUse &Use);
  /// An lvalue as a path: members of the own object with this->, arguments of macros unexpanded.
  std::string path(const clang::Expr *E);
  std::string operand(const clang::Expr *E);
  std::string object(const clang::Expr *E);
  std::string member(const clang::Expr *Base, bool Arrow, llvm::StringRef Name);

private:
  std::string elementType(clang::QualType T);

  clang::ASTContext &Context;
  SourceText &Text;
};

} // namespace gpuinstr

#endif
