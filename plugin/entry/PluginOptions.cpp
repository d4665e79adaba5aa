// Parses the plugin's options by the table in PluginOptions.def.
// SPDX-License-Identifier: Apache-2.0
#include "entry/PluginOptions.h"

#include "gpuinstr/abi.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include <variant>

namespace gpuinstr {
namespace {

enum class Kind { FLAG, TEXT, LIST, COUNT, LISTING };

using Field = std::variant<bool PluginOptions::*, std::string PluginOptions::*,
                           std::vector<std::string> PluginOptions::*, unsigned PluginOptions::*>;

struct Row {
  const char *Name;
  Field Where;
  Kind How;
  const char *Value;
  const char *Help;
};

const Row Rows[] = {
#define GPUINSTR_PLUGIN_OPTION(name, field, kind, value, help)                                     \
  {name, &PluginOptions::field, Kind::kind, value, help},
#include "entry/PluginOptions.def"
};

std::string quoted(llvm::StringRef Name) { return ("option '" + Name + "'").str(); }

std::string badGlob(llvm::StringRef Name, llvm::StringRef Glob) {
  auto Pattern = llvm::GlobPattern::create(Glob);
  if (Pattern)
    return "";
  return quoted(Name) + ": " + llvm::toString(Pattern.takeError());
}

std::string store(const Row &R, bool HasValue, llvm::StringRef Value, PluginOptions &Out) {
  if (R.How == Kind::FLAG && HasValue)
    return quoted(R.Name) + " takes no value";
  if (R.How != Kind::FLAG && R.How != Kind::LISTING && Value.empty())
    return quoted(R.Name) + " needs a value";
  switch (R.How) {
  case Kind::LISTING:
    Out.ListSitesFile = Value.str();
    [[fallthrough]];
  case Kind::FLAG:
    Out.*std::get<bool PluginOptions::*>(R.Where) = true;
    return "";
  case Kind::TEXT: {
    std::string &Text = Out.*std::get<std::string PluginOptions::*>(R.Where);
    if (!Text.empty() && Text != Value)
      return quoted(R.Name) + " is given twice with different values";
    Text = Value.str();
    return "";
  }
  case Kind::LIST:
    if (std::string Problem = badGlob(R.Name, Value); !Problem.empty())
      return Problem;
    (Out.*std::get<std::vector<std::string> PluginOptions::*>(R.Where)).push_back(Value.str());
    return "";
  case Kind::COUNT:
    if (Value.getAsInteger(10, Out.*std::get<unsigned PluginOptions::*>(R.Where)))
      return quoted(R.Name) + ": '" + Value.str() + "' is not a number";
    return "";
  }
  return "";
}

/// Options that cannot hold at once.
std::string contradiction(const PluginOptions &O) {
  if (O.Callers > GPUINSTR_MAX_CALLERS)
    return "option 'callers': " + std::to_string(O.Callers) + " is more than " +
           std::to_string(GPUINSTR_MAX_CALLERS);
  if (O.Off && (O.ListSites || O.DumpAst))
    return std::string("option 'off' contradicts '") + (O.ListSites ? "list-sites'" : "dump-ast'");
  if (!O.Callers && !O.Wrapper.empty())
    return "option 'wrapper' needs a caller to charge: it contradicts 'callers=0'";
  for (const std::string &Glob : O.Include)
    for (const std::string &Other : O.Exclude)
      if (Glob == Other)
        return "options 'include' and 'exclude' contradict each other on '" + Glob + "'";
  return "";
}

} // namespace

std::string parsePluginArgs(const std::vector<std::string> &Args, PluginOptions &Out) {
  for (llvm::StringRef Arg : Args) {
    auto [Name, Value] = Arg.split('=');
    const Row *Found = nullptr;
    for (const Row &R : Rows)
      if (Name == R.Name)
        Found = &R;
    if (!Found)
      return "unknown " + quoted(Name) + " (-fplugin-arg-gpuinstr-help lists them)";
    std::string Problem = store(*Found, Arg.contains('='), Value, Out);
    if (!Problem.empty())
      return Problem;
  }
  return contradiction(Out);
}

std::string pluginHelp() {
  std::string Text = "gpuinstr: options, each as -fplugin-arg-gpuinstr-<option>\n";
  for (const Row &R : Rows) {
    std::string Left = std::string("  ") + R.Name + R.Value;
    Left.resize(std::max<std::size_t>(Left.size() + 1, 22), ' ');
    Text += Left + R.Help + "\n";
  }
  return Text;
}

} // namespace gpuinstr
