// A subcommand of gpuinstr: the options it takes, and what it does.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMMANDLINE_COMMAND_H
#define GPUINSTR_CLI_COMMANDLINE_COMMAND_H

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace gpuinstr::cli {

struct ProgramHelp;

/// An option of a command, to say more about it.
class Option {
public:
  explicit Option(CLI::Option *parsed) : Parsed(parsed) {}
  Option &required();
  Option &needs(const Option &other);
  Option &excludes(const Option &other);
  Option &oneOf(const std::vector<std::string> &values);
  Option &between(int least, int most);
  Option &notNegative();
  Option &valueIsOptional();

  bool given() const; ///< once the command runs

private:
  CLI::Option *Parsed;
};

/// Takes the declarations of a command's options. The variables get their values before the command
/// runs; what they hold before is the default.
///
/// CLI11, which parses, is included by CommandLine.cpp alone: its header takes seconds to compile.
class OptionList {
public:
  explicit OptionList(CLI::App &app) : App(app) {}

  /// Words without a dash, in the order of their declarations.
  Option word(const char *name, std::string &value, const char *help);
  Option words(const char *name, std::vector<std::string> &values, const char *help);
  Option flag(const char *names, bool &value, const char *help);
  /// `names`: "-o,--output". `type` is what the help calls the value.
  template <class T>
  Option value(const char *names, T &value, const char *type, const std::string &help);
  /// One of a few words, each of which stands for a number.
  Option choice(const char *names, int &value, const std::map<std::string, int> &numbers,
                const char *type, const char *help);
  /// Can be given again and again.
  Option repeated(const char *names, std::vector<std::string> &values, const char *type,
                  const char *help);

private:
  CLI::App &App;
};

/// What a command may want to know besides its options.
struct Invocation {
  const std::vector<std::string> &program; ///< what follows --
  std::function<ProgramHelp()> help;
};

class Command {
public:
  virtual ~Command() = default;
  virtual void declare(OptionList &list) = 0;
  /// Returns the exit code. Throws Failure.
  virtual int run(const Invocation &invocation) = 0;
};

/// A row of the table of commands.
struct CommandRow {
  const char *name, *help;
  std::unique_ptr<Command> (*make)();
};

} // namespace gpuinstr::cli

#endif
