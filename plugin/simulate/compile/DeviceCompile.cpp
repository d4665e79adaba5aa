// Repeats the device compile inside the host compile, for the optimised NVPTX module.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/compile/DeviceCompile.h"
#include "compat/ClangCompat.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

/// Options of the host's cc1 that say nothing of the device, each with its number of values.
unsigned dropped(StringRef Arg) {
  static const llvm::StringSet<> Alone = {"-emit-obj",
                                          "-S",
                                          "-emit-llvm",
                                          "-emit-llvm-bc",
                                          "-emit-llvm-only",
                                          "-emit-codegen-only",
                                          "-pic-is-pie",
                                          "-fmath-errno",
                                          "-ffp-contract=on",
                                          "-sys-header-deps",
                                          "-MP",
                                          "-pg",
                                          "-fcf-protection=full",
                                          "-fcf-protection=branch",
                                          "-fcf-protection=return",
                                          "-faddrsig",
                                          "-fdata-sections",
                                          "-ffunction-sections",
                                          "-fno-plt",
                                          "-fms-extensions-no",
                                          "-coverage",
                                          "-mconstructor-aliases",
                                          "-mrelax-all",
                                          "-clear-ast-before-backend",
                                          "-O0",
                                          "-O1",
                                          "-O2",
                                          "-O3",
                                          "-Os",
                                          "-Oz",
                                          "-fno-inline",
                                          "-fno-inline-functions",
                                          "-verify",
                                          "-fcoverage-mapping"};
  static const llvm::StringSet<> WithValue = {"-triple",
                                              "-aux-triple",
                                              "-o",
                                              "-target-cpu",
                                              "-tune-cpu",
                                              "-target-feature",
                                              "-target-abi",
                                              "-mrelocation-model",
                                              "-pic-level",
                                              "-load",
                                              "-plugin",
                                              "-add-plugin",
                                              "-dependency-file",
                                              "-MT",
                                              "-fcuda-include-gpubinary",
                                              "-stack-protector",
                                              "-mllvm",
                                              "-serialize-diagnostic-file",
                                              "-main-file-name-no",
                                              "-split-dwarf-file",
                                              "-split-dwarf-output",
                                              "-diagnostic-log-file",
                                              "-record-command-line",
                                              "-dwarf-debug-flags",
                                              "-code-completion-at",
                                              "-stack-protector-buffer-size",
                                              "-function-alignment"};
  if (Alone.contains(Arg))
    return 1;
  if (WithValue.contains(Arg))
    return 2;
  if (Arg.starts_with("-plugin-arg-"))
    return 2;
  for (StringRef Start : {"-fplugin",
                          "-plugin-arg-",
                          "-fpass-plugin",
                          "-fembed-offload-object",
                          "-debug-info-kind",
                          "-dwarf-version",
                          "-debugger-tuning",
                          "-fprofile",
                          "-coverage-",
                          "-fsanitize",
                          "-flto",
                          "-mcmodel",
                          "-funwind-tables",
                          "-mframe-pointer",
                          "-stats-file",
                          "-ftime-trace",
                          "-fxray",
                          "-finstrument-function",
                          "-fopenmp",
                          "-stack-usage-file",
                          "-opt-record",
                          "-Rpass",
                          "-fdebug-",
                          "-fcoverage-",
                          "-munwind",
                          "-fmerge-functions",
                          "-gsimple",
                          "-gpubnames",
                          "-fdiagnostics-hotness",
                          "-mspeculative",
                          "-ftrivial-auto-var-init",
                          "-fstack-clash",
                          "-mstack-probe",
                          "-fvisibility=",
                          "-verify="})
    if (Arg.starts_with(Start))
      return 1;
  return 0;
}

/// libdevice.10.bc beside the CUDA headers that the host compile searches.
std::string findLibdevice(const HeaderSearchOptions &Search) {
  for (const HeaderSearchOptions::Entry &E : Search.UserEntries) {
    llvm::SmallString<256> Path(E.Path);
    llvm::sys::path::append(Path, "cuda.h");
    if (!llvm::sys::fs::exists(Path))
      continue;
    for (StringRef Up : {"..", "../..", "../../.."}) {
      Path = E.Path;
      llvm::sys::path::append(Path, Up, "nvvm", "libdevice", "libdevice.10.bc");
      if (llvm::sys::fs::exists(Path))
        return std::string(Path);
    }
  }
  return "";
}

/// The newest of __CUDA_ARCH_LIST__, which the driver defines as "800,900"; 0 when it did not.
unsigned newestArch(const PreprocessorOptions &Options) {
  unsigned Newest = 0;
  for (const auto &[Text, IsUndef] : Options.Macros) {
    auto [Name, List] = StringRef(Text).split('=');
    if (IsUndef || Name != "__CUDA_ARCH_LIST__")
      continue;
    llvm::SmallVector<StringRef, 4> Parts;
    List.split(Parts, ',');
    for (StringRef Part : Parts) {
      unsigned Arch = 0;
      if (!Part.getAsInteger(10, Arch))
        Newest = std::max(Newest, Arch / 10);
    }
  }
  return Newest;
}

unsigned archNumber(StringRef Name) {
  unsigned Arch = 0;
  Name.consume_front("sm_");
  return Name.consumeInteger(10, Arch) ? 0 : Arch;
}

/// What stands in for the host's precompiled header, in the order to try: those beside it that were
/// made from the same source, one of which may be the device's, then that source itself.
std::vector<DeviceJob::Option> headersLike(CompilerInstance &Host, const std::string &Precompiled) {
  TextDiagnosticBuffer Ignored;
  auto Diagnostics = compat::diagnosticsFor(Ignored);
  auto SourceOf = [&](const std::string &File) {
    return ASTReader::getOriginalSourceFile(File, Host.getFileManager(),
                                            Host.getPCHContainerReader(), *Diagnostics);
  };
  std::vector<DeviceJob::Option> Out;
  const std::string Source = SourceOf(Precompiled);
  if (Source.empty())
    return Out;
  std::error_code Error;
  for (llvm::sys::fs::directory_iterator I(llvm::sys::path::parent_path(Precompiled), Error), End;
       I != End && !Error; I.increment(Error))
    if (StringRef(I->path()).ends_with(".pch") && I->path() != Precompiled &&
        SourceOf(I->path()) == Source)
      Out.push_back({"-include-pch", I->path()});
  llvm::sort(Out, [](const auto &A, const auto &B) { return A.Value < B.Value; });
  Out.push_back({"-include", Source});
  return Out;
}

/// Null with the first error in Error.
std::unique_ptr<llvm::Module> compileOnce(const std::vector<std::string> &Arguments,
                                          llvm::LLVMContext &Context, std::string &Error) {
  std::vector<const char *> Args;
  for (const std::string &Arg : Arguments)
    Args.push_back(Arg.c_str());
  TextDiagnosticBuffer Messages;
  auto Invocation = std::make_shared<CompilerInvocation>();
  auto Diagnostics = compat::diagnosticsFor(Messages);
  bool Done = CompilerInvocation::CreateFromArgs(*Invocation, Args, *Diagnostics);
  std::unique_ptr<llvm::Module> Result;
  if (Done) {
    auto Device = compat::compilerFor(Invocation, Messages);
    Device->setVerboseOutputStream(llvm::nulls());
    EmitLLVMOnlyAction Emit(&Context);
    Done = Device->ExecuteAction(Emit);
    Result = Emit.takeModule();
  }
  if (Done && Result)
    return Result;
  Error = Messages.err_begin() != Messages.err_end() ? Messages.err_begin()->second
                                                     : "the device compile failed";
  return nullptr;
}

} // namespace

DeviceJob planDeviceCompile(CompilerInstance &Host, const std::string &Arch) {
  DeviceJob Job;
  const FrontendOptions &Frontend = Host.getFrontendOpts();
  Job.Unit = Frontend.Inputs.empty() ? "" : Frontend.Inputs[0].getFile().str();
  Job.Relocatable = Host.getLangOpts().GPURelocatableDeviceCode;
  const unsigned Newest = Arch.empty() ? newestArch(Host.getPreprocessorOpts()) : archNumber(Arch);
  Job.Arch = Newest ? Newest : 90;
  if (Frontend.DashX.isPreprocessed())
    Job.Problem = "it was compiled from preprocessed source, which holds the host's code alone";
  else if (Job.Unit == "-")
    Job.Problem = "it was compiled from the standard input";
  const std::string Libdevice = findLibdevice(Host.getHeaderSearchOpts());
  if (Job.Problem.empty() && Libdevice.empty())
    Job.Problem = "libdevice.10.bc stands not beside the CUDA headers";

  const std::string HostTriple = Host.getTargetOpts().Triple;
  std::vector<std::string> &Args = Job.Arguments;
  Args = {"-triple",          "nvptx64-nvidia-cuda",
          "-aux-triple",      HostTriple,
          "-emit-llvm-only",  "-O2",
          "-fcuda-is-device", "-fno-threadsafe-statics",
          "-target-cpu",      "sm_" + std::to_string(Job.Arch),
          "-target-feature",  compat::newestPtxFeature(),
          "-aux-target-cpu",  Host.getTargetOpts().CPU};
  for (const std::string &Feature : Host.getTargetOpts().FeaturesAsWritten) {
    Args.push_back("-aux-target-feature");
    Args.push_back(Feature);
  }
  if (!Libdevice.empty()) {
    Args.push_back("-mlink-builtin-bitcode");
    Args.push_back(Libdevice);
  }
  const std::vector<std::string> All = Host.getInvocation().getCC1CommandLine();
  for (std::size_t I = 0; I < All.size();) {
    if (const unsigned Skip = I == 0 && All[0] == "-cc1" ? 1 : dropped(All[I])) {
      I += Skip;
      continue;
    }
    if (All[I] == "-include-pch" && I + 1 < All.size()) {
      Job.Headers = headersLike(Host, All[I + 1]);
      I += 2;
      continue;
    }
    Args.push_back(All[I++]);
  }
  return Job;
}

std::unique_ptr<llvm::Module> compileForDevice(const DeviceJob &Job, llvm::LLVMContext &Context,
                                               std::string &Error) {
  if (Job.Headers.empty())
    return compileOnce(Job.Arguments, Context, Error);
  for (const DeviceJob::Option &Header : Job.Headers) {
    std::vector<std::string> Arguments = Job.Arguments;
    // At the end: clang's own wrapper of the CUDA headers comes first.
    Arguments.insert(Arguments.end(), {Header.Name, Header.Value});
    if (std::unique_ptr<llvm::Module> Result = compileOnce(Arguments, Context, Error))
      return Result;
  }
  return nullptr;
}

} // namespace gpuinstr
