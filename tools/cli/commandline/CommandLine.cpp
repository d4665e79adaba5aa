// Parses the command line with CLI11: subcommands, help, errors in one line with exit code 2.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/CommandLine.h"
#include "base/text/Printable.h"
#include "commandline/Help.h"
#include "io/Failure.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <new>
#include <utility>

namespace gpuinstr::cli {

Option &Option::required() {
  Parsed->required();
  return *this;
}

Option &Option::needs(const Option &other) {
  Parsed->needs(other.Parsed);
  return *this;
}

Option &Option::excludes(const Option &other) {
  Parsed->excludes(other.Parsed);
  return *this;
}

// Descriptions of checks would stand in the help, which says in words what is allowed.

Option &Option::oneOf(const std::vector<std::string> &values) {
  Parsed->check(CLI::IsMember(values).description(""));
  return *this;
}

Option &Option::between(int least, int most) {
  Parsed->check(CLI::Range(least, most).description(""));
  return *this;
}

Option &Option::notNegative() {
  Parsed->check(CLI::NonNegativeNumber.description(""));
  return *this;
}

Option &Option::valueIsOptional() {
  Parsed->expected(0, 1);
  return *this;
}

bool Option::given() const { return Parsed->count() != 0; }

Option OptionList::word(const char *name, std::string &value, const char *help) {
  return Option(App.add_option(name, value, help));
}

Option OptionList::words(const char *name, std::vector<std::string> &values, const char *help) {
  return Option(App.add_option(name, values, help));
}

Option OptionList::flag(const char *names, bool &value, const char *help) {
  return Option(App.add_flag(names, value, help));
}

template <class T>
Option OptionList::value(const char *names, T &value, const char *type, const std::string &help) {
  return Option(App.add_option(names, value, help)->type_name(type));
}
template Option OptionList::value(const char *, std::string &, const char *, const std::string &);
template Option OptionList::value(const char *, unsigned &, const char *, const std::string &);
template Option OptionList::value(const char *, std::size_t &, const char *, const std::string &);
template Option OptionList::value(const char *, double &, const char *, const std::string &);

Option OptionList::choice(const char *names, int &value, const std::map<std::string, int> &numbers,
                          const char *type, const char *help) {
  auto number = [numbers](std::string &word) {
    if (auto found = numbers.find(word); found != numbers.end()) {
      word = std::to_string(found->second);
      return std::string();
    }
    std::string all;
    for (const auto &[name, ignored] : numbers)
      all += (all.empty() ? "" : ",") + name;
    return word + " not in {" + all + "}"; // as CLI::IsMember says it
  };
  return Option(App.add_option(names, value, help)
                    ->transform(CLI::Validator(number, "", "choice"))
                    ->type_name(type));
}

Option OptionList::repeated(const char *names, std::vector<std::string> &values, const char *type,
                            const char *help) {
  return Option(App.add_option(names, values, help)
                    ->type_name(type)
                    ->expected(1)
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

namespace {

constexpr int UsageError = 2; // exit code

int fail(const std::string &text) {
  std::string line = text.substr(0, text.find('\n'));
  std::cerr << "gpuinstr: " << printable(line) << "\n";
  return UsageError;
}

OptionHelp describe(const CLI::Option &option) {
  OptionHelp out;
  out.shortNames = option.get_snames();
  out.longNames = option.get_lnames();
  out.heading = option.get_name(false, true);
  std::string type = option.get_type_name();
  if (!option.get_positional() && !type.empty() && option.get_items_expected() != 0)
    out.heading += " " + type;
  out.description = option.get_description();
  out.isHelp = option.get_name(true) == "help" || option.get_name() == "--help";
  return out;
}

std::vector<OptionHelp> describeOptions(const CLI::App &app) {
  std::vector<OptionHelp> out;
  for (const CLI::Option *option : app.get_options())
    out.push_back(describe(*option));
  return out;
}

/// The table's commands as an application of CLI11.
class Program {
public:
  explicit Program(const std::vector<CommandRow> &table) {
    App.set_version_flag("--version", "gpuinstr " GPUINSTR_VERSION);
    App.require_subcommand(1);
    App.get_formatter()->column_width(34);
    for (const CommandRow &row : table) {
      Commands.push_back({App.add_subcommand(row.name, row.help), row.make()});
      OptionList list(*Commands.back().app);
      Commands.back().command->declare(list);
    }
  }

  std::string help() const { return App.help(); }

  bool has(const std::string &name) const {
    return std::any_of(Commands.begin(), Commands.end(),
                       [&](const Entry &entry) { return entry.app->get_name() == name; });
  }

  /// Where the program begins in `words` of the command `run`: the first that is neither an option
  /// nor the value of one.
  std::size_t programAt(const std::vector<std::string> &words) const {
    std::size_t at = 1;
    for (; at < words.size() && words[at].rfind('-', 0) == 0; ++at) {
      const CLI::Option *option = nullptr;
      for (const Entry &entry : Commands)
        if (entry.app->get_name() == words[0])
          option = entry.app->get_option_no_throw(words[at]);
      // --json PATH, not --json=PATH. A value that may be left out is none here.
      at += option && option->get_items_expected_min() > 0;
    }
    return std::min(at, words.size());
  }

  int run(std::vector<std::string> own, const std::vector<std::string> &program) {
    std::reverse(own.begin(), own.end()); // CLI11 takes them from the back
    try {
      App.parse(std::move(own));
    } catch (const CLI::CallForHelp &) {
      const CLI::App *command = chosen();
      std::cout << (command ? command->help("gpuinstr") : App.help());
      return 0;
    } catch (const CLI::CallForVersion &) {
      std::cout << "gpuinstr " GPUINSTR_VERSION "\n";
      return 0;
    } catch (const CLI::ParseError &error) {
      std::string name = chosen() ? " " + chosen()->get_name() : "";
      return fail(std::string(error.what()) + " (gpuinstr" + name + " --help)");
    }
    Invocation invocation{program, [this] { return describeAll(); }};
    for (const Entry &entry : Commands)
      if (entry.app == chosen())
        return entry.command->run(invocation);
    return 0;
  }

private:
  struct Entry {
    CLI::App *app;
    std::unique_ptr<Command> command;
  };

  /// The subcommand that was named; null: none.
  const CLI::App *chosen() {
    std::vector<CLI::App *> named = App.get_subcommands();
    return named.empty() ? nullptr : named.back();
  }

  ProgramHelp describeAll() const {
    ProgramHelp out{describeOptions(App), {}};
    for (const Entry &entry : Commands)
      out.commands.push_back(
          {entry.app->get_name(), entry.app->get_description(), describeOptions(*entry.app)});
    return out;
  }

  CLI::App App{"Runs programs that were compiled with gpuinstr, and reads their profiles.",
               "gpuinstr"};
  std::vector<Entry> Commands;
};

} // namespace

int runCommandLine(const std::vector<CommandRow> &table,
                   const std::vector<std::string> &arguments) {
  // What follows -- belongs to the program that `run` starts, whatever it looks like.
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> own(arguments.begin(), dashes), behind;
  if (dashes != arguments.end())
    behind.assign(dashes + 1, arguments.end());
  if (!behind.empty() && (own.empty() || own[0] != "run"))
    own.insert(own.end(), dashes, arguments.end());

  Program program(table);
  if (dashes == arguments.end() && !own.empty() && own[0] == "run") {
    auto begin = own.begin() + static_cast<std::ptrdiff_t>(program.programAt(own));
    behind.assign(begin, own.end());
    own.erase(begin, own.end());
  }
  if (arguments.empty()) {
    std::cout << program.help();
    return UsageError;
  }
  // CLI11 would say that a subcommand is required.
  if (!own.empty() && own[0].rfind('-', 0) != 0 && !program.has(own[0]))
    return fail("no command is called '" + own[0] + "' (gpuinstr --help)");
  try {
    return program.run(std::move(own), behind);
  } catch (const Failure &failure) {
    return fail(failure.what());
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::exception &error) {
    return fail(error.what());
  }
}

} // namespace gpuinstr::cli
