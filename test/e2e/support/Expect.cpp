// gpuinstr-expect: runs a test program and compares its profile with the comments of its source.
// SPDX-License-Identifier: Apache-2.0
#include "ExpectationChecker.h"
#include "Run.h"
#include "Schema.h"
#include "Spec.h"
#include "Text.h"

#include <cstdio>
#include <filesystem>
#include <map>

namespace {

using namespace gpuinstr::e2e;

enum ExitCode { AllAsExpected = 0, Disagrees = 1, CannotCheck = 2, NotHere = 77 };

const char Usage[] =
    "gpuinstr-expect [--target simulator|gpu] [--tags a,b] [--plain PROGRAM] [--scratch DIR]\n"
    "                [--library-path DIR] [--runtime FILE] [--schema FILE] [--options TEXT] SOURCE "
    "PROGRAM\n"
    "  runs PROGRAM and judges it by the EXPECT comments of SOURCE; TEXT stands before its "
    "OPTIONS\n"
    "gpuinstr-expect --judge PROFILE [--report FILE] [--stdout FILE] [--stderr FILE] [--exit N]\n"
    "                [--tags a,b] [--schema FILE] SOURCE\n"
    "  judges a profile that is already there\n"
    "gpuinstr-expect --schema FILE PROFILE...\n"
    "  validates profiles alone\n"
    "exit code: 0 all as expected, 1 not, 2 cannot judge, 77 not for this target or machine\n";

struct CommandLine {
  std::map<std::string, std::string> options;
  std::vector<std::string> operands;
  std::string get(const std::string &name) const {
    auto found = options.find(name);
    return found == options.end() ? "" : found->second;
  }
  bool has(const std::string &name) const { return options.count(name) != 0; }
};

bool parseCommandLine(int argc, char **argv, CommandLine &line) {
  static const std::set<std::string> known = {
      "--target", "--tags",   "--plain",  "--scratch", "--judge", "--library-path", "--runtime",
      "--schema", "--report", "--stdout", "--stderr",  "--exit",  "--options"};
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.compare(0, 2, "--") != 0) {
      line.operands.push_back(argument);
    } else if (!known.count(argument) || i + 1 == argc) {
      std::fprintf(stderr, "gpuinstr-expect: %s %s\n%s", argument.c_str(),
                   known.count(argument) ? "wants a value" : "is unknown", Usage);
      return false;
    } else {
      line.options[argument] = argv[++i];
    }
  }
  return true;
}

int print(const std::vector<std::string> &messages, int code) {
  for (const std::string &message : messages)
    std::fprintf(stderr, "%s%s", message.c_str(), message.back() == '\n' ? "" : "\n");
  return code;
}

/// Appends the schema's complaints about \p profile.
void checkSchema(const CommandLine &line, const std::string &name, const nlohmann::json &profile,
                 std::vector<std::string> &messages) {
  if (!line.has("--schema"))
    return;
  auto schema = nlohmann::json::parse(readFile(line.get("--schema")).value_or(""), nullptr, false);
  if (schema.is_discarded())
    return messages.push_back(line.get("--schema") + ": no JSON");
  for (const std::string &message : validate(schema, profile))
    messages.push_back(name + ": schema: " + message);
}

int validateOnly(const CommandLine &line) {
  std::vector<std::string> messages;
  for (const std::string &path : line.operands) {
    nlohmann::json profile;
    if (readProfile(path, profile, messages))
      checkSchema(line, path, profile, messages);
  }
  return print(messages, messages.empty() ? AllAsExpected : Disagrees);
}

bool readGiven(const CommandLine &line, Observed &observed, std::vector<std::string> &errors) {
  observed.run.ended = line.has("--exit") ? line.get("--exit") : "0";
  observed.run.out = readFile(line.get("--stdout")).value_or("");
  observed.run.err = readFile(line.get("--stderr")).value_or("");
  observed.report = readFile(line.get("--report"));
  ProfileFile file{line.get("--judge"), {}};
  if (!readProfile(file.path, file.profile, errors))
    return false;
  observed.profiles.push_back(file);
  return true;
}

std::string absolute(const std::string &path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

RunRequest requestFrom(const CommandLine &line) {
  RunRequest request;
  request.program = line.operands[1];
  request.plain = line.get("--plain");
  request.scratch = line.has("--scratch") ? line.get("--scratch") : request.program + ".run";
  // The program runs in another folder.
  request.libraryPath = absolute(line.get("--library-path"));
  request.options = line.get("--options");
  request.runtime = absolute(line.get("--runtime"));
  return request;
}

/// The driver's device files: nothing has to be loaded to count them.
unsigned devicesHere() {
  unsigned count = 0;
  while (std::filesystem::exists("/dev/nvidia" + std::to_string(count)))
    ++count;
  return count;
}

int judgeSource(const CommandLine &line, std::set<std::string> tags) {
  std::vector<std::string> errors;
  Spec spec = readSpec(line.operands[0], tags, errors);
  spec.run.carried = tags.count("carried");
  if (!errors.empty())
    return print(errors, CannotCheck);
  if (!spec.only.empty() && !tags.count(spec.only)) {
    std::printf("only for the %s\n", spec.only.c_str());
    return NotHere;
  }
  if (line.get("--target") == "gpu" && spec.run.devices > devicesHere()) {
    std::printf("needs %u devices\n", spec.run.devices);
    return NotHere;
  }
  Observed observed;
  if (line.has("--judge"))
    readGiven(line, observed, errors);
  else
    observed = runPrograms(requestFrom(line), spec, errors);
  if (!errors.empty())
    return print(errors, Disagrees);
  std::vector<std::string> messages = checkExpectations(spec, observed, tags.count("twin"));
  for (const ProfileFile &file : observed.profiles)
    checkSchema(line, file.path, file.profile, messages);
  return print(messages, messages.empty() ? AllAsExpected : Disagrees);
}

} // namespace

int main(int argc, char **argv) {
  CommandLine line;
  if (!parseCommandLine(argc, argv, line))
    return CannotCheck;
  bool given = line.has("--judge");
  if (line.has("--schema") && !given && !line.has("--target") && !line.operands.empty())
    return validateOnly(line);
  if (line.operands.size() != (given ? 1u : 2u))
    return print({Usage}, CannotCheck);
  std::set<std::string> tags;
  tags.insert(line.has("--target") ? line.get("--target") : "simulator");
  for (const std::string &tag : splitList(line.get("--tags"), ','))
    tags.insert(tag);
  return judgeSource(line, tags);
}
