// Shell completion and the man page, both made from the help texts.
// SPDX-License-Identifier: Apache-2.0
#include "Completion.h"
#include "Command.h"
#include "Files.h"
#include <CLI/CLI.hpp>
#include <cctype>
#include <memory>

namespace gpuinstr::cli {

namespace {

std::vector<std::string> flagsOf(const CLI::App &app) {
  std::vector<std::string> flags;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_snames())
      flags.push_back("-" + name);
    for (const std::string &name : option->get_lnames())
      flags.push_back("--" + name);
  }
  return flags;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<const CLI::App *> commandsOf(const CLI::App &app) {
  return app.get_subcommands([](const CLI::App *) { return true; });
}

/// Within single quotes of a shell.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

std::string bash(const CLI::App &app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App *command : commandsOf(app)) {
    names.push_back(command->get_name());
    cases += "    " + command->get_name() + ") words='" + joined(flagsOf(*command)) + "' ;;\n";
  }
  return "# bash completion for gpuinstr; source it\n"
         "_gpuinstr() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words='" +
         joined(names) + " " + joined(flagsOf(app)) +
         "' i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    [ \"${COMP_WORDS[i]}\" = -- ] && { COMPREPLY=($(compgen -f -- \"$word\")); return; "
         "}\n"
         "  done\n"
         "  [ \"$COMP_CWORD\" -gt 1 ] && case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [ \"$COMP_CWORD\" = 1 ] || [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _gpuinstr gpuinstr\n";
}

std::string zsh(const CLI::App &app) {
  return "#compdef gpuinstr\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app);
}

std::string fish(const CLI::App &app) {
  std::string out = "# fish completion for gpuinstr\n";
  for (const CLI::App *command : commandsOf(app)) {
    out += "complete -c gpuinstr -n __fish_use_subcommand -f -a " + command->get_name() + " -d " +
           quoted(command->get_description()) + "\n";
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : option->get_lnames())
        out += "complete -c gpuinstr -n '__fish_seen_subcommand_from " + command->get_name() +
               "' -l " + name + " -d " + quoted(option->get_description()) + "\n";
  }
  return out;
}

/// For roff: a dot or quote at the start of a line would be a request.
std::string roff(const std::string &text) {
  std::string out;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string optionLines(const CLI::App &app) {
  std::string out;
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_name(true) == "help" || option->get_name() == "--help")
      continue;
    std::string head = option->get_name(false, true), type = option->get_type_name();
    if (!option->get_positional() && !type.empty() && option->get_items_expected() != 0)
      head += " " + type;
    out += ".TP\n\\fB" + roff(head) + "\\fR\n" + roff(option->get_description()) + "\n";
  }
  return out;
}

} // namespace

std::string completionScript(const CLI::App &app, const std::string &shell) {
  return shell == "zsh" ? zsh(app) : shell == "fish" ? fish(app) : bash(app);
}

std::string manPage(const CLI::App &app) {
  std::string out =
      ".TH GPUINSTR 1 \"\" \"gpuinstr " GPUINSTR_VERSION "\"\n"
      ".SH NAME\ngpuinstr \\- run instrumented CUDA programs and read their profiles\n"
      ".SH SYNOPSIS\n.B gpuinstr\n.I COMMAND\n[options]\n.SH COMMANDS\n";
  for (const CLI::App *command : commandsOf(app))
    out += ".SS " + command->get_name() + "\n" + roff(command->get_description()) + ".\n" +
           optionLines(*command);
  return out +
         ".SH EXIT STATUS\n0, or what the command says; 2 after a mistake in the command line "
         "or a file that cannot be used; run: the program's own.\n"
         ".SH ENVIRONMENT\n.TP\n\\fBGPUINSTR_OPTIONS\\fR\nread by the instrumented program; "
         "GPUINSTR_OPTIONS=help=1 prints the list.\n";
}

void addCompletion(CLI::App &app, int &code) {
  auto shell = std::make_shared<std::string>();
  CLI::App *completion = app.add_subcommand("completion", "A completion script for a shell");
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
  completion->callback([shell, &app, &code] {
    writeText("", completionScript(app, *shell));
    code = 0;
  });
}

void addMan(CLI::App &app, int &code) {
  CLI::App *man = app.add_subcommand("man", "The manual page, for man -l");
  man->callback([&app, &code] {
    writeText("", manPage(app));
    code = 0;
  });
}

} // namespace gpuinstr::cli
