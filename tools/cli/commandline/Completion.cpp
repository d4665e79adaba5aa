// Shell completion and the man page, both made from the help texts.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Completion.h"

namespace gpuinstr::cli {

namespace {

std::vector<std::string> flagsOf(const std::vector<OptionHelp> &options) {
  std::vector<std::string> flags;
  for (const OptionHelp &option : options) {
    for (const std::string &name : option.shortNames)
      flags.push_back("-" + name);
    for (const std::string &name : option.longNames)
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

/// Within single quotes of a shell.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

std::string bash(const ProgramHelp &program) {
  std::vector<std::string> names;
  std::string cases;
  for (const CommandHelp &command : program.commands) {
    names.push_back(command.name);
    cases += "    " + command.name + ") words='" + joined(flagsOf(command.options)) + "' ;;\n";
  }
  return "# bash completion for gpuinstr; source it\n"
         "_gpuinstr() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words='" +
         joined(names) + " " + joined(flagsOf(program.options)) +
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

std::string zsh(const ProgramHelp &program) {
  return "#compdef gpuinstr\nautoload -U +X bashcompinit && bashcompinit\n" + bash(program);
}

std::string fish(const ProgramHelp &program) {
  std::string out = "# fish completion for gpuinstr\n";
  for (const CommandHelp &command : program.commands) {
    out += "complete -c gpuinstr -n __fish_use_subcommand -f -a " + command.name + " -d " +
           quoted(command.description) + "\n";
    for (const OptionHelp &option : command.options)
      for (const std::string &name : option.longNames)
        out += "complete -c gpuinstr -n '__fish_seen_subcommand_from " + command.name + "' -l " +
               name + " -d " + quoted(option.description) + "\n";
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

std::string optionLines(const CommandHelp &command) {
  std::string out;
  for (const OptionHelp &option : command.options)
    if (!option.isHelp)
      out += ".TP\n\\fB" + roff(option.heading) + "\\fR\n" + roff(option.description) + "\n";
  return out;
}

} // namespace

std::string completionScript(const ProgramHelp &program, const std::string &shell) {
  return shell == "zsh" ? zsh(program) : shell == "fish" ? fish(program) : bash(program);
}

std::string manPage(const ProgramHelp &program) {
  std::string out =
      ".TH GPUINSTR 1 \"\" \"gpuinstr " GPUINSTR_VERSION "\"\n"
      ".SH NAME\ngpuinstr \\- run instrumented CUDA programs and read their profiles\n"
      ".SH SYNOPSIS\n.B gpuinstr\n.I COMMAND\n[options]\n.SH COMMANDS\n";
  for (const CommandHelp &command : program.commands)
    out += ".SS " + command.name + "\n" + roff(command.description) + ".\n" + optionLines(command);
  return out +
         ".SH EXIT STATUS\n0, or what the command says; 2 after a mistake in the command line "
         "or a file that cannot be used; run: the program's own.\n"
         ".SH ENVIRONMENT\n.TP\n\\fBGPUINSTR_OPTIONS\\fR\nread by the instrumented program; "
         "GPUINSTR_OPTIONS=help=1 prints the list.\n";
}

} // namespace gpuinstr::cli
