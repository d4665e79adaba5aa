// The ways a process ends: who reports, what is a leak, which exit code is left.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "base/Part.h"
#include "base/system/GivenStreams.h"
#include "ledger/Ledger.h"
#include "options/Options.h"
#include "profile/Json.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint64_t Somewhere = 0x7f0000000000;

struct Outcome {
  int status = 0;
  std::string out, err;
  bool hasJson = false;
  profile::Profile profile;
};

std::string contents(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Lifecycle : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
    char name[] = "/tmp/gpuinstr-lifecycle-XXXXXX";
    Folder = mkdtemp(name);
  }
  void TearDown() override {
    for (const char *file : {"/out", "/err"})
      std::remove((Folder + file).c_str());
    rmdir(Folder.c_str());
  }

  /// Runs `body` in a forked child, whose runtime starts afresh. A body that returns leaves by
  /// exit(0).
  Outcome run(const std::function<void()> &body, const std::string &options = "") {
    pid_t child = fork();
    if (child == 0) {
      dup2(open((Folder + "/out").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), 1);
      dup2(open((Folder + "/err").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), 2);
      rememberGivenStreams();
      options::setFromApi("json='" + Folder + "/%p.json' report=stderr color=never " + options);
      body();
      std::exit(0);
    }
    Outcome o;
    while (waitpid(child, &o.status, 0) < 0 && errno == EINTR)
      ;
    o.out = contents(Folder + "/out");
    o.err = contents(Folder + "/err");
    std::string json = Folder + "/" + std::to_string(child) + ".json";
    std::string text = contents(json), error;
    std::remove(json.c_str());
    o.hasJson = !text.empty();
    if (o.hasJson)
      EXPECT_TRUE(profile::fromJson(text, o.profile, error)) << error;
    return o;
  }

  gpuinstr_site *Malloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 300, GPUINSTR_RES_DEVICE,
                                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "d_x", "float");
  gpuinstr_site *FreeSite = makeSite(GPUINSTR_OP_FREE, "cudaFree", 301, GPUINSTR_RES_DEVICE,
                                     GPUINSTR_SITE_CUDA_ERROR, FreeSlots);
  std::string Folder;
};

int exitCode(const Outcome &o) { return WIFEXITED(o.status) ? WEXITSTATUS(o.status) : -1; }

TEST_F(Lifecycle, ExitReportsLeaksAndKeepsTheCode) {
  Outcome o = run([&] {
    Function().alloc(Malloc, Somewhere, 4096);
    std::exit(3);
  });
  EXPECT_EQ(exitCode(o), 3);
  ASSERT_TRUE(o.hasJson);
  EXPECT_EQ(o.profile.process.ended, "exit");
  EXPECT_EQ(o.profile.process.exit_code, 3);
  EXPECT_EQ(findings(o.profile, "leak").size(), 1u);
  EXPECT_EQ(findings(o.profile, "leak")[0].grade.text(), "proven");
  EXPECT_NE(o.err.find("leak"), std::string::npos);
  EXPECT_NE(o.err.find("SUMMARY"), std::string::npos);
}

TEST_F(Lifecycle, FailOnChangesASuccessOnly) {
  auto leak = [&] {
    std::printf("buffered, not flushed");
    Function().alloc(Malloc, Somewhere, 4096);
  };
  Outcome o = run(leak, "fail_on=leak");
  EXPECT_EQ(exitCode(o), 23);
  EXPECT_EQ(o.out, "buffered, not flushed");
  EXPECT_EQ(exitCode(run(leak, "fail_on=leak exitcode=42")), 42);
  EXPECT_EQ(exitCode(run(leak, "fail_on=double-free")), 0);
  EXPECT_EQ(exitCode(run(
                [&] {
                  leak();
                  std::exit(7);
                },
                "fail_on=leak")),
            7);
}

Function *AtExitFunction;
gpuinstr_site *AtExitSite;
int AtExitResult;

TEST_F(Lifecycle, ExitHandlersAndStaticDestructorsMayStillFree) {
  for (int result : {0, 4}) { // 4: cudaErrorCudartUnloading
    Outcome o = run([&] {
      AtExitFunction = new Function;
      AtExitSite = FreeSite;
      AtExitResult = result;
      // Registered before CUDA comes up: runs after our question to the driver.
      std::atexit([] { AtExitFunction->free(AtExitSite, Somewhere, AtExitResult); });
      Function().alloc(Malloc, Somewhere, 4096);
    });
    ASSERT_TRUE(o.hasJson);
    EXPECT_TRUE(o.profile.findings.empty());
    EXPECT_EQ(siteAtLine(o.profile, 301)->calls, 1u) << "the report came too early";
  }
}

TEST_F(Lifecycle, NoCudaCallNoTrace) {
  Outcome o = run([] {}, "fail_on=proven");
  EXPECT_EQ(exitCode(o), 0);
  EXPECT_FALSE(o.hasJson);
  EXPECT_EQ(o.err, "");
}

TEST_F(Lifecycle, AChildOfForkReportsOnlyItsOwnCalls) {
  Function f;
  f.alloc(Malloc, Somewhere, 4096); // the parent's
  Outcome silent = run([] {});
  EXPECT_FALSE(silent.hasJson);
  EXPECT_EQ(silent.err, "");
  Outcome own = run([&] {
    Function g;
    g.alloc(Malloc, Somewhere + 0x10000, 128);
    g.free(FreeSite, Somewhere + 0x10000);
  });
  ASSERT_TRUE(own.hasJson);
  EXPECT_EQ(siteAtLine(own.profile, 300)->calls, 1u);
  EXPECT_TRUE(own.profile.findings.empty());
  f.free(FreeSite, Somewhere);
}

TEST_F(Lifecycle, UnderscoreExitReportsButJudgesNoLeak) {
  Outcome o = run([&] {
    Function().alloc(Malloc, Somewhere, 4096);
    table().before_exit(0);
    _exit(0);
  });
  EXPECT_EQ(exitCode(o), 0);
  ASSERT_TRUE(o.hasJson);
  EXPECT_EQ(o.profile.process.ended, "_exit");
  EXPECT_TRUE(o.profile.findings.empty());
  ASSERT_FALSE(o.profile.coverage.notes.empty());
  EXPECT_NE(o.profile.coverage.notes[0].find("live when killed: 1 allocation"), std::string::npos);
}

TEST_F(Lifecycle, UnderscoreExitFailsOnBugsToo) {
  auto *ignored = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 302, 0,
                           GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_DISCARDED, CopySlots);
  Outcome o = run(
      [&] {
        Function().call(ignored, [] { return 1; });
        table().before_exit(0);
        _exit(0);
      },
      "fail_on=bugs");
  EXPECT_EQ(exitCode(o), 23);
}

TEST_F(Lifecycle, QuickExitReportsAfterItsHandlers) {
  auto quick = [&] {
    std::at_quick_exit([] { AtExitFunction->free(AtExitSite, Somewhere, 0); });
    AtExitFunction = new Function;
    AtExitSite = FreeSite;
    Function().alloc(Malloc, Somewhere, 4096);
  };
  Outcome o = run([&] {
    quick();
    table().before_exit(6 | GPUINSTR_QUICK_EXIT);
    std::quick_exit(6);
  });
  EXPECT_EQ(exitCode(o), 6);
  ASSERT_TRUE(o.hasJson);
  EXPECT_EQ(o.profile.process.ended, "quick_exit");
  EXPECT_EQ(o.profile.process.exit_code, 6);
  EXPECT_EQ(siteAtLine(o.profile, 301)->calls, 1u);
  auto *ignored = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 304, 0,
                           GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_DISCARDED, CopySlots);
  Outcome failed = run(
      [&] {
        Function().call(ignored, [] { return 1; });
        table().before_exit(0 | GPUINSTR_QUICK_EXIT);
        std::quick_exit(0);
      },
      "fail_on=bugs");
  EXPECT_EQ(exitCode(failed), 23);
}

TEST_F(Lifecycle, ASharedMemoryChildThatExitsIsNotUs) {
  Outcome o = run([&] {
    Function().alloc(Malloc, Somewhere, 4096);
    pid_t child = pid_t(syscall(SYS_fork)); // no fork handlers, as with vfork
    if (child == 0) {
      table().before_exit(127);
      _exit(127);
    }
    waitpid(child, nullptr, 0);
  });
  ASSERT_TRUE(o.hasJson);
  EXPECT_EQ(o.profile.process.ended, "exit");
  EXPECT_EQ(o.err.find("SUMMARY"), o.err.rfind("SUMMARY")) << "printed once";
}

TEST_F(Lifecycle, AbortAndSignalsReportAndStillKill) {
  Outcome aborted = run([&] {
    Function().alloc(Malloc, Somewhere, 4096);
    std::abort();
  });
  EXPECT_TRUE(WIFSIGNALED(aborted.status) && WTERMSIG(aborted.status) == SIGABRT);
  ASSERT_TRUE(aborted.hasJson);
  EXPECT_EQ(aborted.profile.process.ended, "abort");
  EXPECT_TRUE(findings(aborted.profile, "leak").empty());
  for (int signal : {SIGTERM, SIGINT}) {
    Outcome killed = run([&] {
      Function().alloc(Malloc, Somewhere, 4096);
      raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(killed.status) && WTERMSIG(killed.status) == signal);
    ASSERT_TRUE(killed.hasJson);
    EXPECT_EQ(killed.profile.process.ended, "signal " + std::to_string(signal));
  }
}

TEST_F(Lifecycle, ASignalInAThreadIsReportedToo) {
  Outcome o = run([&] {
    Function().alloc(Malloc, Somewhere, 4096);
    std::thread([] { std::abort(); }).join();
  });
  EXPECT_TRUE(WIFSIGNALED(o.status));
  EXPECT_TRUE(o.hasJson);
}

TEST_F(Lifecycle, SignalsThatTheProgramHandlesAreItsOwn) {
  Outcome o = run([&] {
    std::signal(SIGTERM, [](int) { std::exit(5); });
    std::signal(SIGINT, SIG_IGN);
    Function f;
    f.alloc(Malloc, Somewhere, 4096);
    f.free(FreeSite, Somewhere);
    raise(SIGINT);
    raise(SIGTERM);
  });
  EXPECT_EQ(exitCode(o), 5);
  EXPECT_EQ(o.profile.process.ended, "exit");
}

TEST_F(Lifecycle, ASignalDuringALockDoesNotHang) {
  auto start = std::chrono::steady_clock::now();
  Outcome o = run([&] {
    Function().alloc(Malloc, Somewhere, 4096);
    // A thread that stops all others' reports: the ledger stays locked.
    ledgerPart().lock();
    raise(SIGTERM);
  });
  EXPECT_TRUE(WIFSIGNALED(o.status) && WTERMSIG(o.status) == SIGTERM);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(Lifecycle, OnlyRankZeroPrints) {
  Outcome o = run([&] {
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    Function().alloc(Malloc, Somewhere, 4096);
  });
  EXPECT_EQ(o.err, "");
  ASSERT_TRUE(o.hasJson);
  EXPECT_EQ(o.profile.process.rank, 1);
}

TEST_F(Lifecycle, ReportNowAndTheReportAtExit) {
  Outcome o = run([&] {
    Function f;
    f.alloc(Malloc, Somewhere, 4096);
    table().report_now();
    f.free(FreeSite, Somewhere);
  });
  EXPECT_NE(o.err.find("SUMMARY"), o.err.rfind("SUMMARY")) << "printed twice";
  EXPECT_EQ(o.profile.process.ended, "exit");
  EXPECT_TRUE(o.profile.findings.empty());
  EXPECT_EQ(o.err.find("leak "), std::string::npos) << o.err;
}

TEST_F(Lifecycle, ManyThreadsMayRunOnWhileTheProcessExits) {
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 303);
  registerAll({sync});
  for (int i = 0; i < 5; ++i) {
    Outcome o = run([&] {
      static std::atomic<int> calls{0};
      for (int t = 0; t < 4; ++t)
        std::thread([&] {
          for (;; ++calls)
            Function().call(sync, [] { return 0; });
        }).detach();
      while (calls < 100)
        usleep(1000);
    });
    EXPECT_EQ(exitCode(o), 0);
    ASSERT_TRUE(o.hasJson);
    EXPECT_GT(siteAtLine(o.profile, 303)->calls, 0u);
  }
}

} // namespace
