// Errors are one line and exit code 2; every command has help, completion and a place in the
// manual. SPDX-License-Identifier: Apache-2.0
#include "Samples.h"
#include "support/Temporary.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gpuinstr::test {

const std::vector<std::string> Commands{"run",      "report", "diff",       "merge",
                                        "annotate", "sarif",  "suppress",   "sites",
                                        "explain",  "doctor", "completion", "man"};

static void expectError(const std::vector<std::string> &arguments, const std::string &part) {
  Result result = gpuinstr(arguments);
  EXPECT_EQ(result.code, 2) << part;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("gpuinstr: ", 0), 0u) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

TEST(CommandLine, MistakesAreOneLineAndExitCode2) {
  Folder folder;
  std::string none = folder.file("none.json");
  std::string text = folder.write("text.json", "no json\n\x1b[31m");
  std::string other = folder.write("other.json", R"({"schema":"other","version":1})");
  std::string newer = folder.write("newer.json", R"({"schema":"gpuinstr-profile","version":99})");
  std::string empty = folder.write("empty.json", "");
  expectError({"frobnicate"}, "frobnicate");
  ::unsetenv("XDG_RUNTIME_DIR"); // else the newest of the dead is read
  expectError({"report"}, "no file given");
  expectError({"report", none}, "No such file");
  expectError({"report", text}, "not JSON");
  expectError({"report", empty}, "not JSON");
  expectError({"report", other}, "schema");
  expectError({"report", newer}, "newer");
  expectError({"report", "--sort", "colour", none}, "colour not in {avg,bytes,calls,name,time}");
  expectError({"report", "--format", "x", none}, "x not in {csv,github,json,junit,text}");
  expectError({"report", "--json", "--csv", none}, "--csv");
  expectError({"report", folder.path() + "/text.json", "--wrong"}, "--wrong");
  expectError({"merge", folder.path(), "-o", folder.file("out")}, "empty.json");
  expectError({"diff", none}, "NEW is required");
  expectError({"explain", "leek"}, "leek");
  expectError({"sites", text}, "no ELF file");
  expectError({"doctor", text}, "gpuinstr: " + text + ": no ELF file");
  expectError({"doctor", none}, "gpuinstr: " + none + ": No such file");
  expectError({"run"}, "no program");
  expectError({"run", "--"}, "no program");
  expectError({"run", "--", folder.file("none")}, "No such file");
  expectError({"run", "--set", "jsn=x", "--", "/bin/true"}, "jsn");
  expectError({"annotate", none}, "No such file");
  std::string nowhere = folder.write("good.json", trainProfile());
  expectError({"merge", nowhere, "-o", folder.file("no/such/folder")}, "No such file");
}

TEST(CommandLine, HelpOfEveryCommand) {
  Result all = gpuinstr({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const std::string &name : Commands) {
    EXPECT_NE(all.out.find("\n  " + name + " "), std::string::npos) << name;
    Result one = gpuinstr({name, "--help"});
    EXPECT_EQ(one.code, 0) << name;
    EXPECT_NE(one.out.find("Usage: gpuinstr " + name + " ["), std::string::npos) << one.out;
  }
  EXPECT_EQ(gpuinstr({"--version"}).out, "gpuinstr " GPUINSTR_VERSION "\n");
}

TEST(CommandLine, CompletionIsAcceptedByTheShellAndNamesEverything) {
  Folder folder;
  std::string script = folder.write("complete.bash", gpuinstr({"completion", "bash"}).out);
  std::string line = "bash -c '. " + script +
                     " && COMP_WORDS=(gpuinstr report --sor) COMP_CWORD=2 && _gpuinstr && echo "
                     "${COMPREPLY[*]}'";
  FILE *shell = ::popen(line.c_str(), "r");
  ASSERT_TRUE(shell);
  char answer[200] = "";
  EXPECT_TRUE(std::fgets(answer, sizeof answer, shell));
  EXPECT_EQ(::pclose(shell), 0);
  EXPECT_STREQ(answer, "--sort\n");
  for (const char *name : {"bash", "zsh", "fish"}) {
    std::string text = gpuinstr({"completion", name}).out;
    for (const std::string &command : Commands)
      EXPECT_NE(text.find(command), std::string::npos) << name << " " << command;
  }
  EXPECT_EQ(gpuinstr({"completion", "csh"}).code, 2);
}

TEST(CommandLine, ManualHasEveryCommandAndOption) {
  std::string page = gpuinstr({"man"}).out;
  EXPECT_EQ(page.rfind(".TH GPUINSTR 1", 0), 0u);
  for (const std::string &name : Commands)
    EXPECT_NE(page.find("\n.SS " + name + "\n"), std::string::npos) << name;
  EXPECT_NE(page.find("\\-\\-fail\\-on"), std::string::npos);
}

} // namespace gpuinstr::test
