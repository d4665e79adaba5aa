// A parser and Sema beside the compile's own, over the same declarations.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/SecondParser.h"

#include "compat/ClangCompat.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {

/// The compile's own names: an identifier is known by its address.
class SharedNames : public IdentifierInfoLookup {
public:
  explicit SharedNames(IdentifierTable &Names) : Names(Names) {}
  IdentifierInfo *get(StringRef Name) override { return &Names.get(Name); }

private:
  IdentifierTable &Names;
};

/// Keeps a diagnostics engine from saying, counting or remembering anything.
class Silence {
public:
  explicit Silence(DiagnosticsEngine &Engine)
      : Engine(Engine), Before(Engine.getSuppressAllDiagnostics()) {
    Engine.setSuppressAllDiagnostics(true);
  }
  ~Silence() { Engine.setSuppressAllDiagnostics(Before); }

private:
  DiagnosticsEngine &Engine;
  const bool Before;
};

struct SecondParser::State {
  explicit State(CompilerInstance &CI);
  ~State() { CI.getLangOpts().SpellChecking = SpellChecking; }
  /// Runs with a clean slate; false if that made an error.
  bool succeeds(llvm::function_ref<void()> Do);

  CompilerInstance &CI;
  ASTContext &Context;
  SharedNames Names;
  const bool SpellChecking; ///< of the compile: here it would search the whole unit for each error
  IgnoringDiagConsumer Nobody;
  ASTConsumer Consumer;
  Silence Quiet;
  llvm::IntrusiveRefCntPtr<DiagnosticsEngine> Diagnostics;
  std::unique_ptr<Preprocessor> PP;
  std::unique_ptr<Sema> Actions;
  std::vector<Token> Ends;
  std::unique_ptr<Parser> P;
  Sema::LateTemplateParserCB *BodyParser = nullptr;
};

SecondParser::State::State(CompilerInstance &CI)
    : CI(CI), Context(CI.getASTContext()), Names(Context.Idents),
      SpellChecking(CI.getLangOpts().SpellChecking), Quiet(CI.getDiagnostics()),
      Diagnostics(compat::diagnosticsFor(Nobody)) {
  CI.getLangOpts().SpellChecking = false;
  SourceManager &SM = CI.getSourceManager();
  Diagnostics->setSourceManager(&SM);
  PP = compat::preprocessorFor(CI, *Diagnostics, Names);
  PP->Initialize(CI.getTarget(), CI.getAuxTarget());
  Actions = std::make_unique<Sema>(*PP, Context, Consumer);
  // The compiler's own typedefs: a Sema declares them unless somebody did.
  for (Decl *D : Context.getTranslationUnitDecl()->noload_decls()) {
    if (!D->isImplicit())
      break;
    if (auto *Named = dyn_cast<NamedDecl>(D))
      Actions->IdResolver.AddDecl(Named);
  }
  Actions->StdNamespace = CI.getSema().StdNamespace;
  // Whoever looks beyond the end finds more of it.
  Token End;
  End.startToken();
  End.setKind(tok::eof);
  End.setLocation(SM.getLocForEndOfFile(SM.getMainFileID()));
  Ends.assign(64, End);
  PP->EnterTokenStream(Ends, true, false);
  P = std::make_unique<Parser>(*PP, *Actions, false);
  P->Initialize();
  BodyParser = CI.getSema().LateTemplateParser;
}

bool SecondParser::State::succeeds(llvm::function_ref<void()> Do) {
  Diagnostics->Reset(/*soft=*/true);
  DiagnosticErrorTrap Errors(*Diagnostics), Others(CI.getDiagnostics());
  Do();
  return !Errors.hasErrorOccurred() && !Others.hasErrorOccurred();
}

SecondParser::SecondParser(CompilerInstance &CI) : S(std::make_unique<State>(CI)) {}
SecondParser::~SecondParser() = default;

std::vector<Token> SecondParser::lex(unsigned Begin, unsigned End) {
  const SourceManager &SM = S->CI.getSourceManager();
  const FileID File = SM.getMainFileID();
  const StringRef Text = SM.getBufferData(File);
  Lexer Raw(SM.getLocForStartOfFile(File), S->Context.getLangOpts(), Text.begin(),
            Text.begin() + Begin, Text.end());
  std::vector<Token> Tokens;
  bool Directive = false;
  for (Token T;;) {
    Raw.LexFromRawLexer(T);
    if (T.is(tok::eof) || SM.getFileOffset(T.getLocation()) >= End)
      return Tokens;
    if (T.isAtStartOfLine())
      Directive = T.is(tok::hash);
    if (Directive)
      continue;
    if (T.is(tok::raw_identifier)) {
      IdentifierInfo &Name =
          S->Context.Idents.get(Lexer::getSpelling(T, SM, S->Context.getLangOpts()));
      T.setIdentifierInfo(&Name);
      T.setKind(Name.getTokenID());
    }
    Tokens.push_back(T);
  }
}

bool SecondParser::parseBody(FunctionDecl &F, llvm::ArrayRef<Token> Tokens) {
  if (!S->BodyParser || Tokens.empty() || !Tokens.front().isOneOf(tok::l_brace, tok::colon) ||
      Tokens.back().isNot(tok::r_brace))
    return false;
  LateParsedTemplate Late;
  Late.Toks.append(Tokens.begin(), Tokens.end());
  Late.D = &F;
  Late.FPO = FPOptions(S->Context.getLangOpts());
  return S->succeeds([&] { S->BodyParser(S->P.get(), Late); }) && F.doesThisDeclarationHaveABody();
}

bool SecondParser::instantiate(FunctionDecl &F) {
  return S->succeeds([&] {
    S->Actions->InstantiateFunctionDefinition(F.getLocation(), &F, /*Recursive=*/false,
                                              /*DefinitionRequired=*/true);
  }) && F.isDefined();
}

} // namespace gpuinstr
