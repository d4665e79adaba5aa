// A parser and Sema beside the compile's own, over the same declarations.
// SPDX-License-Identifier: Apache-2.0
#include "ast/nvcc/SecondParser.h"

#include "compat/ClangCompat.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

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
  llvm::DenseSet<const IdentifierInfo *> Declared; ///< names that declareBuiltins looked at
  std::deque<std::vector<Token>> Prelude;          ///< the preprocessor refers to them
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
    if (auto *Named = dyn_cast<NamedDecl>(D);
        Named && Actions->IdResolver.begin(Named->getDeclName()) == IdentifierResolver::iterator())
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

namespace {

struct Builtins {
  llvm::StringLiteral Result, Parameters, Names;
};
constexpr Builtins DeviceBuiltins[] = {
#define DEVICE_BUILTINS(RESULT, PARAMETERS, NAMES) {RESULT, PARAMETERS, NAMES},
#include "ast/nvcc/DeviceBuiltins.def"
};

/// The declaration of a function that is built into nvcc, "" of others.
std::string builtinDeclaration(StringRef Name) {
  static const auto *ByName = [] {
    auto *All = new llvm::StringMap<const Builtins *>;
    for (const Builtins &B : DeviceBuiltins)
      for (StringRef Rest = B.Names, One; !Rest.empty();) {
        std::tie(One, Rest) = Rest.split(' ');
        (*All)[One] = &B;
      }
    return All;
  }();
  auto Known = ByName->find(Name);
  if (Known == ByName->end() && Name.size() > 3 && Name[Name.size() - 3] == '_')
    Known = ByName->find(Name.drop_back()); // _rn, _rz, _ru, _rd
  if (Known == ByName->end() || Name.ends_with("_r"))
    return "";
  return (llvm::Twine("extern \"C\" ") + Known->second->Result + " " + Name + "(" +
          Known->second->Parameters + ");\n")
      .str();
}

/// The arguments behind the tag in `...(tag {}, a, b, *this)` at the end of Tokens.
std::vector<const IdentifierInfo *> givenTo(llvm::ArrayRef<Token> Tokens) {
  std::vector<const IdentifierInfo *> Given;
  std::size_t At = Tokens.size();
  int Depth = 0;
  do {
    if (At-- == 0)
      return Given;
    Depth += Tokens[At].isOneOf(tok::r_paren, tok::r_brace, tok::r_square);
    Depth -= Tokens[At].isOneOf(tok::l_paren, tok::l_brace, tok::l_square);
  } while (Depth != 0);
  while (At < Tokens.size() && Tokens[At].isNot(tok::r_brace)) // of the tag
    ++At;
  llvm::ArrayRef<Token> One;
  for (++At; At < Tokens.size(); ++At) {
    const Token &T = Tokens[At];
    if (Depth == 0 && T.isOneOf(tok::comma, tok::r_paren)) {
      const bool Name = One.size() == 1 && One[0].is(tok::identifier);
      const bool This = One.size() == 2 && One[0].is(tok::star) && One[1].is(tok::kw_this);
      if (!One.empty())
        Given.push_back(Name || This ? One.back().getIdentifierInfo() : nullptr);
      One = Tokens.slice(At + 1, 0);
      continue;
    }
    One = llvm::ArrayRef(One.data(), One.size() + 1);
    Depth += T.isOneOf(tok::l_paren, tok::l_brace, tok::l_square);
    Depth -= T.isOneOf(tok::r_paren, tok::r_brace, tok::r_square);
  }
  return Given;
}

/// In place of `__nv_dl_wrapper_t<...>(...)` at the end of Tokens comes the lambda. Its number, 0
/// if something else stands there.
unsigned dropWrapper(std::vector<Token> &Tokens) {
  unsigned Number = 0;
  for (std::size_t I = Tokens.size(); I-- > 0;) {
    const Token &T = Tokens[I];
    if (!T.isAnyIdentifier())
      continue;
    if (T.getIdentifierInfo()->getName() == "__nv_dl_wrapper_t") {
      Tokens.resize(I);
      return Number;
    }
    // The first tag behind the name decides, so the last one that is found on the way back.
    if (!T.getIdentifierInfo()->getName().starts_with("__nv_dl_"))
      continue;
    int Depth = 0;
    for (std::size_t At = I + 1; At < Tokens.size(); ++At) {
      Depth += Tokens[At].isOneOf(tok::less, tok::l_paren);
      Depth -= Tokens[At].isOneOf(tok::greater, tok::r_paren);
      if (Depth == 0) {
        const Token &Last = Tokens[At - 1];
        Number = 0;
        if (Last.is(tok::numeric_constant) &&
            StringRef(Last.getLiteralData(), Last.getLength()).getAsInteger(10, Number))
          Number = 0;
        break;
      }
    }
  }
  return 0;
}

/// Where the body begins that stands in place of the one behind it, at the end of Tokens: `{}`, or
/// what a device function has on the host, `{int volatile ___ = 1; ...}`. Their number if none
/// does.
std::size_t standIn(llvm::ArrayRef<Token> Tokens) {
  int Depth = 0;
  for (std::size_t I = Tokens.size(); I-- > 0;) {
    Depth += Tokens[I].is(tok::r_brace);
    Depth -= Tokens[I].is(tok::l_brace);
    if (Depth > 0)
      continue;
    const bool IsEmpty = I + 2 == Tokens.size();
    const bool IsStub = I + 3 < Tokens.size() && Tokens[I + 2].is(tok::kw_volatile) &&
                        Tokens[I + 3].isAnyIdentifier() &&
                        Tokens[I + 3].getIdentifierInfo()->getName() == "___";
    return Depth == 0 && Tokens[I].is(tok::l_brace) && (IsEmpty || IsStub) ? I : Tokens.size();
  }
  return Tokens.size();
}

/// Operands of PTX stand in registers by letters that the host's have other meanings for, or none.
void useHostConstraints(std::vector<Token> &Tokens) {
  int Depth = 0; ///< of an asm statement, from its first parenthesis on
  bool IsAssembly = false;
  for (std::size_t I = 0; I + 1 < Tokens.size(); ++I) {
    Token &T = Tokens[I];
    IsAssembly = IsAssembly || T.is(tok::kw_asm);
    if (!IsAssembly)
      continue;
    Depth += T.is(tok::l_paren);
    Depth -= T.is(tok::r_paren);
    IsAssembly = Depth > 0 || T.isNot(tok::r_paren);
    if (Depth != 1 || T.isNot(tok::string_literal) || Tokens[I + 1].isNot(tok::l_paren))
      continue;
    const StringRef Text(T.getLiteralData(), T.getLength()); // "f", "=f", "+f"
    if (Text.size() < 3 || !StringRef("dfhl").contains(Text[Text.size() - 2]))
      continue;
    if (Text.size() == 3)
      T.setLiteralData("\"r\"");
    else if (Text.size() == 4 && (Text[1] == '=' || Text[1] == '+'))
      T.setLiteralData(Text[1] == '=' ? "\"=r\"" : "\"+r\"");
  }
}

} // namespace

std::vector<Token> SecondParser::lex(unsigned Begin, unsigned End,
                                     std::vector<DisabledLambda> &Lambdas) {
  const SourceManager &SM = S->CI.getSourceManager();
  const LangOptions &Lang = S->Context.getLangOpts();
  const FileID File = SM.getMainFileID();
  const StringRef Text = SM.getBufferData(File);
  Lexer Raw(SM.getLocForStartOfFile(File), Lang, Text.begin(), Text.begin() + Begin, Text.end());
  std::vector<Token> Tokens;
  bool Directive = false, Opened = false;
  for (Token T;;) {
    Raw.LexFromRawLexer(T);
    if (T.is(tok::eof) || SM.getFileOffset(T.getLocation()) >= End) {
      useHostConstraints(Tokens);
      return Opened ? std::vector<Token>() : Tokens;
    }
    if (T.isAtStartOfLine()) {
      Directive = T.is(tok::hash);
      if (Directive && Text.substr(SM.getFileOffset(T.getLocation())).starts_with("#if")) {
        if (Opened)
          return {};
        Opened = true; // what it is, its first token tells
      }
    }
    if (Directive)
      continue;
    if (T.is(tok::raw_identifier)) {
      IdentifierInfo &Name = S->Context.Idents.get(Lexer::getSpelling(T, SM, Lang));
      T.setIdentifierInfo(&Name);
      T.setKind(Name.getTokenID());
    }
    if (Opened) {
      Opened = false;
      const std::size_t Stub = standIn(Tokens);
      if (T.is(tok::l_brace) && Stub < Tokens.size()) {
        Tokens.resize(Stub);
      } else if (T.is(tok::l_square)) {
        DisabledLambda L;
        L.Begin = T.getLocation();
        L.Given = givenTo(Tokens);
        L.Number = dropWrapper(Tokens);
        if (!L.Number)
          return {};
        Lambdas.push_back(std::move(L));
      } else {
        return {};
      }
    }
    Tokens.push_back(T);
  }
}

/// Declares the functions among Tokens that are built into nvcc and that nobody declared.
void SecondParser::declareBuiltins(llvm::ArrayRef<Token> Tokens) {
  std::string Text;
  for (const Token &T : Tokens) {
    if (!T.is(tok::identifier) || !S->Declared.insert(T.getIdentifierInfo()).second)
      continue;
    const std::string One = builtinDeclaration(T.getIdentifierInfo()->getName());
    if (!One.empty() && S->Context.getTranslationUnitDecl()->lookup(T.getIdentifierInfo()).empty())
      Text += One;
  }
  if (Text.empty())
    return;
  // By this name it is a header of CUDA's.
  SourceManager &SM = S->CI.getSourceManager();
  const FileID File =
      SM.createFileID(llvm::MemoryBuffer::getMemBufferCopy(Text, "__clang_cuda_gpuinstr.h"));
  const StringRef Buffer = SM.getBufferData(File);
  Lexer Raw(SM.getLocForStartOfFile(File), S->Context.getLangOpts(), Buffer.begin(), Buffer.begin(),
            Buffer.end());
  S->Prelude.emplace_back();
  std::vector<Token> &All = S->Prelude.back();
  for (Token T;;) {
    Raw.LexFromRawLexer(T);
    if (T.is(tok::eof))
      break;
    if (T.is(tok::raw_identifier)) {
      IdentifierInfo &Name =
          S->Context.Idents.get(Lexer::getSpelling(T, SM, S->Context.getLangOpts()));
      T.setIdentifierInfo(&Name);
      T.setKind(Name.getTokenID());
    }
    All.push_back(T);
  }
  All.push_back(S->P->getCurToken());
  S->PP->EnterTokenStream(All, true, false);
  S->P->ConsumeToken(); // the end of what came before
  S->succeeds([&] {
    Parser::DeclGroupPtrTy Group;
    Sema::ModuleImportState Import = Sema::ModuleImportState::NotACXX20Module;
    while (S->P->getCurToken().isNot(tok::eof))
      S->P->ParseTopLevelDecl(Group, Import);
  });
}

bool SecondParser::parseBody(FunctionDecl &F, llvm::ArrayRef<Token> Tokens) {
  if (!S->BodyParser || Tokens.empty() || !Tokens.front().isOneOf(tok::l_brace, tok::colon) ||
      Tokens.back().isNot(tok::r_brace))
    return false;
  LateParsedTemplate Late;
  Late.Toks.append(Tokens.begin(), Tokens.end());
  Late.D = &F;
  declareBuiltins(Tokens);
  Late.FPO = FPOptions(S->Context.getLangOpts());
  return S->succeeds([&] { S->BodyParser(S->P.get(), Late); }) && F.doesThisDeclarationHaveABody();
}

FunctionDecl *SecondParser::specialise(FunctionTemplateDecl &Template,
                                       llvm::ArrayRef<TemplateArgument> Arguments) {
  FunctionDecl *Made = nullptr;
  const auto *List = TemplateArgumentList::CreateCopy(S->Context, Arguments);
  const bool Done = S->succeeds([&] {
    Made = S->Actions->InstantiateFunctionDeclaration(&Template, List, Template.getLocation());
  });
  return Done ? Made : nullptr;
}

bool SecondParser::instantiate(FunctionDecl &F) {
  return S->succeeds([&] {
    S->Actions->InstantiateFunctionDefinition(F.getLocation(), &F, /*Recursive=*/false,
                                              /*DefinitionRequired=*/true);
  }) && F.isDefined();
}

} // namespace gpuinstr
