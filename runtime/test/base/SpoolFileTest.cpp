// The last state of a process in a file: what was cut short or altered is never taken for one.
// SPDX-License-Identifier: Apache-2.0
#include "base/system/SpoolFile.h"
#include "base/system/SpoolFormat.h"
#include "base/system/SystemFile.h"
#include "process/output/Spool.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuinstr::test {

namespace {

class SpoolFileTest : public ::testing::Test {
protected:
  std::string Folder = ::testing::TempDir() + "gpuinstr-spool-XXXXXX";
  SpoolFile File;
  SpoolOwner Owner = thisSpoolOwner();

  void SetUp() override {
    ASSERT_NE(mkdtemp(Folder.data()), nullptr);
    Owner.settings = "told";
    ASSERT_EQ(File.create(Folder, Owner, 4096), 0);
  }
  void TearDown() override {
    File.remove();
    EXPECT_EQ(rmdir(Folder.c_str()), 0) << "something is left";
  }

  std::string path() const { return Folder + "/" + std::to_string(getpid()) + ".spool"; }
  std::string content() const { return readSystemFile(path().c_str(), 64 << 20); }
  /// "-" none.
  static std::string stateOf(const std::string &content) {
    SpoolState state;
    std::string error;
    return readSpool(content, state, error) ? state.state : "-";
  }
};

} // namespace

TEST_F(SpoolFileTest, TheNewestStateIsRead) {
  EXPECT_EQ(stateOf(content()), "") << "none was written yet";
  for (int i = 1; i <= 5; ++i) {
    ASSERT_EQ(File.write("state " + std::to_string(i), 100 + i), 0);
    SpoolState state;
    std::string error;
    ASSERT_TRUE(readSpool(content(), state, error)) << error;
    EXPECT_EQ(state.state, "state " + std::to_string(i));
    EXPECT_EQ(state.takenNs, 100u + i);
    EXPECT_EQ(state.owner.settings, "told");
    EXPECT_EQ(state.owner.pid, getpid());
  }
}

TEST_F(SpoolFileTest, AStateThatWasCutShortIsNotRead) {
  ASSERT_EQ(File.write("older", 1), 0);
  ASSERT_EQ(File.write("newer", 2), 0);
  std::string all = content();
  ASSERT_EQ(stateOf(all), "newer");
  std::string torn = all;
  torn[torn.find("newer") + 2] ^= 1;
  EXPECT_EQ(stateOf(torn), "older");
  unsigned taken = 0; // either of the two, or damaged; never a mixture
  for (size_t at = 0; at < all.size(); at += at < spool::PageBytes ? 1 : 97) {
    std::string altered = all;
    altered[at] ^= 0x11;
    std::string state = stateOf(altered);
    EXPECT_TRUE(state == "newer" || state == "older" || state == "-") << at << " " << state;
    taken += state != "newer";
  }
  EXPECT_GT(taken, 100u);
  for (size_t size = 0; size < all.size(); size += 61) {
    std::string state = stateOf(all.substr(0, size));
    EXPECT_TRUE(state == "newer" || state == "older" || state == "-" || state.empty()) << size;
  }
}

TEST_F(SpoolFileTest, ALargerStateMovesIntoALargerFile) {
  ASSERT_EQ(File.write("small", 1), 0);
  std::string large(100000, 'x');
  ASSERT_EQ(File.write(large, 2), 0);
  EXPECT_EQ(stateOf(content()), large);
  EXPECT_EQ(File.write(std::string(SpoolFile::MostBytes + 1, 'y'), 3), EFBIG);
  EXPECT_EQ(stateOf(content()), large) << "the state before stands";
  ASSERT_EQ(File.write("small again", 4), 0);
  EXPECT_EQ(stateOf(content()), "small again");
}

TEST_F(SpoolFileTest, ItsBlocksAreThereBeforehandAndNobodyElsesToRead) {
  struct stat is = {};
  ASSERT_EQ(stat(path().c_str(), &is), 0);
  EXPECT_GE(uint64_t(is.st_blocks) * 512, uint64_t(is.st_size));
  EXPECT_EQ(is.st_mode & 0777, 0600u);
}

TEST_F(SpoolFileTest, AFileThatTookItsNameIsLeftAlone) {
  ASSERT_EQ(rename(path().c_str(), (Folder + "/moved").c_str()), 0);
  std::ofstream(path()) << "mine";
  EXPECT_NE(File.write("state", 1), 0);
  File.remove();
  EXPECT_EQ(content(), "mine");
  unlink(path().c_str());
  unlink((Folder + "/moved").c_str());
}

TEST_F(SpoolFileTest, ThoseOfTheDeadAreFoundAndDropped) {
  EXPECT_TRUE(deadSpools(Folder).empty()) << "this process lives";
  for (int i = 0; i < 3; ++i) {
    pid_t child = fork();
    if (child == 0) {
      SpoolFile own;
      _exit(own.create(Folder, thisSpoolOwner(), 4096) || own.write("dead", 1));
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  std::ofstream(Folder + "/other.spool") << "no spool";
  EXPECT_EQ(deadSpools(Folder).size(), 3u);
  dropOldSpools(Folder, 1);
  ASSERT_EQ(deadSpools(Folder).size(), 1u);
  dropOldSpools(Folder, 0);
  EXPECT_TRUE(deadSpools(Folder).empty());
  EXPECT_EQ(unlink((Folder + "/other.spool").c_str()), 0) << "not ours to remove";
}

TEST(Spool, StatesStayWithinAQuarterOfTheBudget) {
  constexpr uint64_t Ms = 1000000, Second = 1000 * Ms;
  EXPECT_EQ(spoolPauseNs(10 * Ms, 100000, 100000, 2), 20 * Ms) << "the first ones come soon";
  EXPECT_EQ(spoolPauseNs(100 * Ms, 100000, 100000, 2), 100 * Ms);
  EXPECT_EQ(spoolPauseNs(100 * Second, 100 * Ms, Ms, 2), Second);
  EXPECT_GT(spoolPauseNs(Second, 20 * Ms, 20 * Ms, 2), 6 * Second) << "each takes 20 ms";
  EXPECT_LT(spoolPauseNs(Second, 20 * Ms, 20 * Ms, 20), 2 * Second);
}

} // namespace gpuinstr::test
