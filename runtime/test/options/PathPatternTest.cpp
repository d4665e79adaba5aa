// Output paths and ranks.
// SPDX-License-Identifier: Apache-2.0
#include "options/PathPattern.h"
#include "base/Rank.h"
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gpuinstr::options {

using Strings = std::vector<std::string>;

static const char *const RankVariables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK", "MV2_COMM_WORLD_RANK",
    "FLUX_TASK_RANK",       "PALS_RANKID", "RANK",     "SLURM_PROCID"};

/// A folder of its own, and no launcher.
class Paths : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/gpuinstr-paths-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    Folder = name;
    for (const char *variable : RankVariables)
      ::unsetenv(variable);
  }
  void TearDown() override { ASSERT_EQ(std::system(("rm -rf '" + Folder + "'").c_str()), 0); }

  static std::string content(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    DIR *dir = ::opendir(Folder.c_str());
    while (dirent *entry = ::readdir(dir))
      if (entry->d_name[0] != '.')
        names.insert(entry->d_name);
    ::closedir(dir);
    return names;
  }
  void put(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

  std::string Folder;
  std::string Pid = std::to_string(::getpid());
};

TEST_F(Paths, Expansion) {
  char host[256] = {};
  ::gethostname(host, sizeof(host) - 1);
  ::setenv("GPUINSTR_TEST_VAR", "run 7/x", 1);
  ::unsetenv("GPUINSTR_TEST_UNSET");
  Strings problems;
  EXPECT_EQ(expandPath("a.%p.%%.%h", &problems), "a." + Pid + ".%." + host);
  EXPECT_EQ(expandPath("%q{GPUINSTR_TEST_VAR}/b", &problems), "run 7/x/b");
  EXPECT_EQ(expandPath("%r", &problems), "p" + Pid);
  EXPECT_EQ(expandPath("", &problems), "");
  EXPECT_EQ(problems, Strings());
  ::setenv("PMI_RANK", "3", 1);
  EXPECT_EQ(expandPath("prof-%r.json", &problems), "prof-3.json");
}

TEST_F(Paths, UnknownSequencesAreKeptAndNamed) {
  struct Case {
    const char *pattern, *expanded, *what;
  };
  const Case cases[] = {{"a%z", "a%z", "%z"}, {"a%", "a%", "%"},        {"%q", "%q", "%q"},
                        {"%q{", "%q{", "%q"}, {"%q{}x", "%q{}x", "%q"}, {"%q{X", "%q{X", "%q"}};
  for (const Case &c : cases) {
    Strings problems;
    EXPECT_EQ(expandPath(c.pattern, &problems), c.expanded);
    EXPECT_EQ(problems, Strings{std::string("path '") + c.pattern + "': " + c.what +
                                " is none of %p %h %r %q{VAR} %%; kept as it is"});
  }
  ::unsetenv("GPUINSTR_TEST_UNSET");
  Strings problems;
  EXPECT_EQ(expandPath("a%q{GPUINSTR_TEST_UNSET}b", &problems), "ab");
  EXPECT_EQ(problems, Strings{"path 'a%q{GPUINSTR_TEST_UNSET}b': GPUINSTR_TEST_UNSET is not set; "
                              "empty text is used"});
  EXPECT_EQ(expandPath("%z"), "%z"); // nobody listens
}

TEST_F(Paths, ParentFoldersAreMade) {
  WrittenFile file = writeFile(Folder + "/a/b/c.json", "hello\n");
  EXPECT_EQ(file.error, "");
  EXPECT_EQ(file.path, Folder + "/a/b/c.json");
  EXPECT_EQ(content(file.path), "hello\n");
}

TEST_F(Paths, TakenNamesAreLeftAlone) {
  std::string name = Folder + "/x";
  put(name, "mine");
  WrittenFile first = writeFile(name, "1");
  EXPECT_EQ(first.path, name + "." + Pid);
  EXPECT_EQ(content(name), "mine");
  EXPECT_EQ(content(first.path), "1");

  std::string other = Folder + "/y";
  put(other, "a");
  put(other + "." + Pid, "b");
  put(other + "." + Pid + ".1", "c");
  WrittenFile second = writeFile(other, "2");
  EXPECT_EQ(second.path, other + "." + Pid + ".2");
  EXPECT_EQ(content(other + "." + Pid), "b");
  EXPECT_EQ(content(second.path), "2");
}

TEST_F(Paths, OwnFileIsReplaced) {
  std::string name = Folder + "/own.json";
  EXPECT_EQ(writeFile(name, std::string(100000, 'a')).path, name);
  EXPECT_EQ(writeFile(name, "short").path, name);
  EXPECT_EQ(content(name), "short");
  EXPECT_EQ(files(), std::set<std::string>{"own.json"}); // no temporary is left
}

TEST_F(Paths, FileThatSomebodyReplacedIsNotOursAnyMore) {
  std::string name = Folder + "/own.json";
  ASSERT_EQ(writeFile(name, "1").path, name);
  put(name + ".new", "theirs");
  ASSERT_EQ(::rename((name + ".new").c_str(), name.c_str()), 0);
  EXPECT_EQ(writeFile(name, "2").path, name + "." + Pid);
  EXPECT_EQ(content(name), "theirs");
}

TEST_F(Paths, ForkedChildTakesItsOwnName) {
  std::string name = Folder + "/fork.json";
  ASSERT_EQ(writeFile(name, "parent").path, name);
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(writeFile(name, "child").path == name + "." + std::to_string(::getpid()) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(name), "parent");
  EXPECT_EQ(content(name + "." + std::to_string(child)), "child");
}

/// What the runtime's fork handler does.
static int inChild(const std::function<bool()> &good) {
  pid_t child = ::fork();
  if (child == 0) {
    forgetWrittenFiles();
    ::_exit(good() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(Paths, ForkedChildLeavesTheNameToItsParent) {
  std::string name = Folder + "/first.json", other = Folder + "/other.json";
  EXPECT_EQ(inChild([&] {
              return writeFile(name, "child").path == name + "." + std::to_string(::getpid());
            }),
            0);
  EXPECT_EQ(writeFile(name, "parent").path, name) << "the child was first";
  EXPECT_EQ(inChild([&] { return writeFile(other, "child", Naming::OfOneProcess).path == other; }),
            0);
}

TEST_F(Paths, ChildWhoseParentIsGoneTakesTheName) {
  std::string name = Folder + "/daemon.json";
  int done[2];
  ASSERT_EQ(::pipe(done), 0);
  EXPECT_EQ(inChild([&] {
              pid_t daemon = ::fork();
              if (daemon != 0)
                return true;
              forgetWrittenFiles(); // its parent ends at once, its grandparent waits
              char result = writeFile(name, "daemon").path == name;
              (void)!::write(done[1], &result, 1);
              ::_exit(0);
            }),
            0);
  char result = 2;
  ASSERT_EQ(::read(done[0], &result, 1), 1);
  EXPECT_EQ(result, 0) << "the grandparent may still write it";
}

TEST_F(Paths, PatternsSayWhoseTheNameIs) {
  ::unsetenv("PMI_RANK");
  for (const char *pattern : {"a-%p.json", "%%%p", "%r", "x%h%r"})
    EXPECT_EQ(namingOf(pattern), Naming::OfOneProcess) << pattern;
  for (const char *pattern : {"a.json", "%%p", "%h", "%", "%q{PID}", ""})
    EXPECT_EQ(namingOf(pattern), Naming::OfAll) << pattern;
  ::setenv("PMI_RANK", "3", 1);
  EXPECT_EQ(namingOf("%r"), Naming::OfAll); // a rank may fork
  ::unsetenv("PMI_RANK");
}

TEST_F(Paths, RelativeOnesAreOfTheStart) {
  char here[4096];
  ASSERT_NE(::getcwd(here, sizeof here), nullptr);
  ASSERT_EQ(::chdir(Folder.c_str()), 0);
  rememberStartFolder();
  ASSERT_EQ(::chdir("/"), 0);
  EXPECT_EQ(writeFile("sub/x.json", "1").path, Folder + "/sub/x.json");
  std::string taken, error;
  int file = openNewFile("sub/trace.bin", taken, error);
  EXPECT_GE(file, 0) << error;
  ::close(file);
  EXPECT_EQ(taken, Folder + "/sub/trace.bin");
  ASSERT_EQ(::chdir(here), 0);
}

TEST_F(Paths, OnlyFilesHoldTraces) {
  ASSERT_EQ(::mkfifo((Folder + "/fifo").c_str(), 0600), 0);
  for (const std::string &path : {Folder + "/fifo", std::string("/dev/zero"), std::string("-"),
                                  std::string("/dev/stdout"), Folder}) {
    std::string taken, error;
    EXPECT_EQ(openNewFile(path, taken, error), -1) << path;
    EXPECT_EQ(error, "cannot write '" + path + "': only a file will do");
  }
  std::string taken, error;
  int file = openNewFile("/dev/null", taken, error);
  EXPECT_GE(file, 0) << error;
  ::close(file);
  EXPECT_EQ(files(), std::set<std::string>{"fifo"});
}

TEST_F(Paths, ManyProcessesLoseNothing) {
  std::string name = Folder + "/race";
  for (int i = 0; i < 20; ++i)
    if (::fork() == 0)
      ::_exit(writeFile(name, std::to_string(::getpid())).error.empty() ? 0 : 1);
  for (int i = 0, status = -1; i < 20; ++i) {
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  std::set<std::string> texts;
  for (const std::string &file : files())
    texts.insert(content(Folder + "/" + file));
  EXPECT_EQ(files().size(), 20u);
  EXPECT_EQ(texts.size(), 20u);
}

TEST_F(Paths, ForkBesideAWritingThreadLeavesNoLockTaken) {
  std::atomic<bool> stop{false};
  std::string shared = Folder + "/p.json", large(1 << 20, 'x');
  ASSERT_EQ(writeFile(shared, large).path, shared);
  std::thread writer([&] {
    while (!stop)
      writeFile(shared, large);
  });
  for (int i = 0; i < 20; ++i) {
    pid_t child = ::fork();
    if (child == 0) {
      forgetWrittenFiles();
      WrittenFile written = writeFile(shared, "child");
      ::_exit(written.error.empty() && written.path != shared ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(content(shared + "." + std::to_string(child)), "child");
  }
  stop = true;
  writer.join();
  EXPECT_EQ(content(shared), large);
}

TEST_F(Paths, ModeFollowsTheUmask) {
  mode_t old = ::umask(027);
  std::string path = writeFile(Folder + "/mode", "x").path;
  ::umask(old);
  struct stat file;
  ASSERT_EQ(::stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0640u);
}

TEST_F(Paths, DanglingLinkIsTaken) {
  std::string name = Folder + "/link";
  ASSERT_EQ(::symlink((Folder + "/nowhere").c_str(), name.c_str()), 0);
  EXPECT_EQ(writeFile(name, "x").path, name + "." + Pid);
  EXPECT_EQ(files().count("nowhere"), 0u);
}

TEST_F(Paths, DevicesAndPipes) {
  EXPECT_EQ(writeFile("/dev/null", "x").error, "");
  std::string pipe = Folder + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(writeFile(pipe, "nobody reads").error, ""); // and does not hang
  int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(writeFile(pipe, "hello").error, "");
  char buffer[16] = {};
  EXPECT_EQ(::read(reader, buffer, sizeof(buffer)), 5);
  EXPECT_STREQ(buffer, "hello");
  EXPECT_NE(writeFile(pipe, std::string(1 << 20, 'x')).error, ""); // the reader stopped reading
  ::close(reader);
}

TEST_F(Paths, ErrorsAreOneLineAndErrnoStays) {
  put(Folder + "/file", "");
  errno = 77;
  EXPECT_EQ(writeFile(Folder, "x").error, "cannot write '" + Folder + "': Is a directory");
  EXPECT_EQ(writeFile(Folder + "/new/", "x").error,
            "cannot write '" + Folder + "/new/': Is a directory");
  EXPECT_EQ(writeFile(Folder + "/file/below", "x").error,
            "cannot write '" + Folder + "/file/below': Not a directory");
  EXPECT_EQ(writeFile("", "x").error, "cannot write '': No such file or directory");
  EXPECT_NE(writeFile(Folder + "/" + std::string(300, 'n'), "x").error, "");
  EXPECT_EQ(errno, 77);
}

TEST_F(Paths, RelativePathIsToldAbsolute) {
  char *before = ::getcwd(nullptr, 0);
  ASSERT_EQ(::chdir(Folder.c_str()), 0);
  EXPECT_EQ(writeFile("relative.txt", "x").path, Folder + "/relative.txt");
  ASSERT_EQ(::chdir(before), 0);
  std::free(before);
  EXPECT_EQ(content(Folder + "/relative.txt"), "x");
}

TEST_F(Paths, RankVariablesInOrder) {
  EXPECT_EQ(currentRank().rank, -1);
  EXPECT_EQ(currentRank().source, "");
  // From the last to the first: each earlier one takes over.
  int rank = 10;
  for (std::size_t i = std::size(RankVariables); i-- > 0; ++rank) {
    ::setenv(RankVariables[i], std::to_string(rank).c_str(), 1);
    EXPECT_EQ(currentRank().rank, rank);
    EXPECT_EQ(currentRank().source, RankVariables[i]);
  }
}

TEST_F(Paths, BadRanksArePassedOver) {
  ::setenv("SLURM_PROCID", "0", 1);
  for (const char *bad : {"", "-1", "1x", " 2", "0x3", "+4", "99999999999", "abc"}) {
    ::setenv("OMPI_COMM_WORLD_RANK", bad, 1);
    EXPECT_EQ(currentRank().rank, 0) << bad;
    EXPECT_EQ(currentRank().source, "SLURM_PROCID") << bad;
  }
  EXPECT_TRUE(printsToStderr({0, "RANK"}));
  EXPECT_TRUE(printsToStderr({}));
  EXPECT_FALSE(printsToStderr({1, "RANK"}));
}

} // namespace gpuinstr::options
