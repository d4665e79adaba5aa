// The subcommands of gpuinstr, and how one fails.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMMAND_H
#define GPUINSTR_CLI_COMMAND_H

#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuinstr::cli {

/// A mistake of the user's or a file that cannot be used: one line on stderr, exit code 2.
class Failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

inline constexpr int UsageError = 2;

/// Each adds its subcommand to `app`; when that one runs it sets `code`, the exit code.
void addRun(CLI::App &app, int &code, const std::vector<std::string> &program);
void addReport(CLI::App &app, int &code);
void addDiff(CLI::App &app, int &code);
void addMerge(CLI::App &app, int &code);
void addAnnotate(CLI::App &app, int &code);
void addHtml(CLI::App &app, int &code);
void addTrace(CLI::App &app, int &code);
void addSarif(CLI::App &app, int &code);
void addDoctor(CLI::App &app, int &code);
void addSites(CLI::App &app, int &code);
void addExplain(CLI::App &app, int &code);
void addSuppress(CLI::App &app, int &code);
void addCompletion(CLI::App &app, int &code);
void addMan(CLI::App &app, int &code);

/// The whole program: parses, runs, and returns the exit code.
int runCommandLine(const std::vector<std::string> &arguments);

} // namespace gpuinstr::cli

#endif
