// The oracle: what was true of each line, in little programs whose truth is known.
// SPDX-License-Identifier: Apache-2.0
#include "device/oracle/ShadowMemory.h"
#include "support/Registration.h"
#include "support/SimulatorTest.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>

using namespace gpuinstr::sim::test;
using gpuinstr::sim::ShadowMemory;

extern "C" {
void gpuinstr_simulator_mark(unsigned);
void gpuinstr_simulator_made(const void *, unsigned);
void gpuinstr_simulator_reads(const void *, size_t);
void gpuinstr_simulator_writes(const void *, size_t);
void gpuinstr_simulator_describe_kernel(const void *,
                                        void (*)(const unsigned *, const unsigned *, void **));
void gpuinstr_simulator_define_kernel(const void *, const char *,
                                      void (*)(const unsigned *, const unsigned *, void **),
                                      unsigned, const size_t *);
}

namespace {

constexpr auto Up = cudaMemcpyHostToDevice, Down = cudaMemcpyDeviceToHost;
constexpr size_t Bytes = 4096;

std::string truthFile() {
  return testing::TempDir() + "gpuinstr-oracle." + std::to_string(getppid());
}

/// In a process of its own: nobody has used the device yet.
[[noreturn]] void runProgram(const std::function<void()> &program) {
  setenv("GPUINSTR_SIM", ("memory=64M:oracle=" + truthFile()).c_str(), 1);
  program();
  exit(testing::Test::HasFailure());
}

/// {"noop-copy 3": occurrences at line 3}
std::map<std::string, unsigned> takeTruth() {
  std::string name = testing::TempDir() + "gpuinstr-oracle." + std::to_string(getpid());
  std::ifstream file(name);
  std::map<std::string, unsigned> truth;
  for (std::string row; std::getline(file, row);) {
    std::istringstream words(row);
    std::string kind, line;
    words >> kind >> line;
    for (std::string sum; words >> sum;)
      truth[sum.substr(0, sum.find('=')) + " " + line] =
          unsigned(std::stoul(sum.substr(sum.find('=') + 1)));
  }
  std::remove(name.c_str());
  return truth;
}

/// The next call stands in that line.
void at(unsigned line) { gpuinstr_simulator_mark(line); }

struct Program {
  std::vector<char> one, other, back;
  char *d = nullptr;
  Program() : one(Bytes), other(Bytes), back(Bytes) {
    for (size_t i = 0; i < Bytes; ++i) {
      one[i] = char(i * 7);
      other[i] = char(i * 5 + i / 256);
    }
    allocate();
  }
  void allocate(unsigned line = 0) {
    expectOk(cudaMalloc(reinterpret_cast<void **>(&d), Bytes));
    if (line)
      gpuinstr_simulator_made(d, line);
  }
  void release() { expectOk(cudaFree(d)); }
  void up(unsigned line, const std::vector<char> &from, size_t bytes = Bytes) {
    at(line);
    expectOk(cudaMemcpy(d, from.data(), bytes, Up));
    at(0);
  }
  void down(unsigned line) {
    at(line);
    expectOk(cudaMemcpy(back.data(), d, Bytes, Down));
    at(0);
  }
  void set(unsigned line, int value) {
    at(line);
    expectOk(cudaMemset(d, value, Bytes));
    at(0);
  }
};

using Truth = std::map<std::string, unsigned>;
class OracleDeathTest : public testing::Test {};

char Adds;
void runAdds(const unsigned *, const unsigned *, void **a) { ++**static_cast<char **>(a[0]); }
void describeAdds(const unsigned *, const unsigned *, void **a) {
  gpuinstr_simulator_reads(*static_cast<char **>(a[0]), Bytes);
  gpuinstr_simulator_writes(*static_cast<char **>(a[0]), Bytes);
}

/// One that has a description, or none: then it may read whatever there is.
void launchAdds(Program &p, bool described) {
  static const size_t bytes[] = {sizeof(char *)};
  static int wrapper[4] = {0x466243b1, 1, 0, 0};
  void **handle = __cudaRegisterFatBinary(wrapper);
  __cudaRegisterFunction(handle, &Adds, &Adds, "adds", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  gpuinstr_simulator_define_kernel(&Adds, nullptr, runAdds, 1, bytes);
  if (described)
    gpuinstr_simulator_describe_kernel(&Adds, describeAdds);
  void *arguments[] = {&p.d};
  expectOk(cudaLaunchKernel(&Adds, dim3(1), dim3(1), arguments, 0, nullptr));
}

} // namespace

#define RUNS(program) EXPECT_EXIT(runProgram([] program), testing::ExitedWithCode(0), "")

TEST_F(OracleDeathTest, CopiesThatChangeNothing) {
  RUNS({
    Program p;
    p.set(1, 0);    // the memory holds zeroes, but nobody has written them
    p.set(2, 0);    // does nothing
    p.up(3, p.one); // changes
    p.up(3, p.one);
    p.one[Bytes - 1] ^= 1;
    p.up(3, p.one); // one byte
    p.up(4, p.one, 64);
    p.down(5); // news for the host
    p.down(5);
    p.back[7] ^= 1;
    p.down(5);
    at(6);
    expectOk(cudaMemcpy(p.d, p.d, Bytes, cudaMemcpyDefault));
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["all 1"], 1u);
  EXPECT_EQ(truth["noop-copy 1"], 0u);
  EXPECT_EQ(truth["noop-copy 2"], 1u);
  EXPECT_EQ(truth["all 3"], 3u);
  EXPECT_EQ(truth["noop-copy 3"], 1u);
  EXPECT_EQ(truth["noop-copy 4"], 1u);
  EXPECT_EQ(truth["all 5"], 3u);
  EXPECT_EQ(truth["noop-copy 5"], 1u);
  EXPECT_EQ(truth["noop-copy 6"], 1u);
}

TEST_F(OracleDeathTest, WritesThatNobodyReads) {
  RUNS({
    Program p;
    p.set(1, 1); // overwritten unread
    p.up(2, p.one);
    p.down(0);
    p.up(3, p.other, Bytes / 2); // overwrites half
    p.up(4, p.other);            // freed unread
    p.release();
    p.allocate();
    p.up(5, p.one); // lives on
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["dead-copy 1"], 1u);
  EXPECT_EQ(truth["dead-copy 2"], 0u);
  EXPECT_EQ(truth["dead-copy 3"], 1u);
  EXPECT_EQ(truth["dead-copy 4"], 1u);
  EXPECT_EQ(truth["dead-copy 5"], 0u);
  for (const char *read : {"unread 1", "unread 2", "unread 3", "unread 4"})
    EXPECT_EQ(truth[read], 0u) << read;
  EXPECT_EQ(truth["unread 5"], 1u);
}

TEST_F(OracleDeathTest, ArraysThatNobodyReads) {
  RUNS({
    Program p;
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t array = nullptr;
    expectOk(cudaMallocArray(&array, &bytes, 16, 4));
    auto up = [&](unsigned line) {
      at(line);
      expectOk(cudaMemcpy2DToArray(array, 0, 0, p.one.data(), 16, 16, 4, cudaMemcpyHostToDevice));
    };
    up(1); // overwritten unread
    up(2); // read
    at(0);
    expectOk(cudaMemcpy2DFromArray(p.back.data(), 16, array, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    up(3); // read by nobody
    at(0);
    expectOk(cudaFreeArray(array));
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["dead-copy 1"], 1u);
  EXPECT_EQ(truth["dead-copy 2"] + truth["unread 2"], 0u);
  EXPECT_EQ(truth["dead-copy 3"] + truth["unread 3"], 1u);
}

TEST_F(OracleDeathTest, KernelsRead) {
  RUNS({
    Program p;
    p.up(1, p.one);
    launchAdds(p, true);
    p.up(2, p.other);
    p.up(2, p.one);
    p.release();
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["dead-copy 1"], 0u);
  EXPECT_EQ(truth["dead-copy 2"], 2u);
  EXPECT_EQ(truth["noop-copy 2"], 0u);
}

TEST_F(OracleDeathTest, KernelsThatNobodyDescribesMayReadAnything) {
  RUNS({
    Program p;
    p.up(1, p.one);
    launchAdds(p, false);
    p.release();
  });
  EXPECT_EQ(takeTruth()["dead-copy 1"], 0u);
}

TEST_F(OracleDeathTest, BytesThatWereSentBefore) {
  RUNS({
    Program p;
    p.up(1, p.one);
    p.release();
    p.allocate();
    p.up(1, p.one); // an earlier buffer held them when it was freed
    p.release();
    p.allocate();
    p.up(2, p.other);
    p.set(0, 0);
    p.release();
    p.allocate();
    p.up(2, p.other); // had been overwritten
    char *first = p.d;
    p.allocate();
    p.up(3, p.other); // another buffer still holds them
    p.up(4, p.other); // this one does
    expectOk(cudaFree(first));
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["all 1"], 2u);
  EXPECT_EQ(truth["reupload 1"], 1u);
  EXPECT_EQ(truth["reupload 2"], 0u);
  EXPECT_EQ(truth["reupload 3"], 1u);
  EXPECT_EQ(truth["reupload 4"], 1u);
}

TEST_F(OracleDeathTest, BytesThatCameFromThere) {
  RUNS({
    Program p;
    p.set(0, 3);
    p.down(1);
    p.up(2, p.back);
    p.back[0] ^= 1;
    p.up(3, p.back);
    p.down(4);                  // the host holds them
    p.up(5, p.back, Bytes / 2); // a part of them
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["roundtrip 1"], 0u);
  EXPECT_EQ(truth["roundtrip 2"], 1u);
  EXPECT_EQ(truth["roundtrip 3"], 0u);
  EXPECT_EQ(truth["roundtrip 4"], 1u);
  EXPECT_EQ(truth["roundtrip 5"], 1u);
}

TEST_F(OracleDeathTest, EqualElementsAndMemory) {
  RUNS({
    Program p;
    p.release();
    p.allocate(1);
    std::vector<char> zeroes(Bytes);
    p.up(2, zeroes);
    p.up(3, p.one);
    p.release();
    p.allocate(4);
    p.release();
    p.allocate(5);
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["uniform-upload 2"], 1u);
  EXPECT_EQ(truth["uniform-upload 3"], 0u);
  EXPECT_EQ(truth["unused-allocation 1"], 0u);
  EXPECT_EQ(truth["leak 1"], 0u);
  EXPECT_EQ(truth["unused-allocation 4"], 1u);
  EXPECT_EQ(truth["leak 4"], 0u);
  EXPECT_EQ(truth["leak 5"], 1u);
}

TEST_F(OracleDeathTest, CopiesOfGraphsStandWhereTheyWereCaptured) {
  RUNS({
    Program p;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    char *pinned;
    expectOk(cudaMallocHost(reinterpret_cast<void **>(&pinned), Bytes));
    expectOk(cudaStreamCreate(&stream));
    expectOk(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    at(1);
    expectOk(cudaMemcpyAsync(p.d, pinned, Bytes, Up, stream));
    at(2);
    expectOk(cudaStreamEndCapture(stream, &graph));
    expectOk(cudaGraphInstantiate(&exec, graph, 0));
    for (char fill : {1, 1, 2}) {
      std::fill(pinned, pinned + Bytes, fill);
      expectOk(cudaGraphLaunch(exec, stream));
      expectOk(cudaStreamSynchronize(stream));
    }
  });
  Truth truth = takeTruth();
  EXPECT_EQ(truth["all 1"], 3u);
  EXPECT_EQ(truth["noop-copy 1"], 1u);
  EXPECT_EQ(truth["all 2"], 0u);
}

TEST(ShadowMemory, PiecesOfWrites) {
  ShadowMemory shadow;
  auto one = shadow.begin(), two = shadow.begin(), three = shadow.begin();
  shadow.write(100, 200, one);
  EXPECT_TRUE(shadow.isWritten(100, 200));
  EXPECT_FALSE(shadow.isWritten(99, 200));
  EXPECT_FALSE(shadow.isWritten(150, 201));
  shadow.write(120, 130, two);
  EXPECT_FALSE(shadow.isDead(one)); // the rest is there
  EXPECT_TRUE(shadow.isWritten(100, 200));
  shadow.read(130, 131);
  shadow.write(90, 300, three);
  EXPECT_FALSE(shadow.isDead(one)); // read
  EXPECT_TRUE(shadow.isDead(two));
  EXPECT_FALSE(shadow.isDead(three));
  shadow.drop(90, 300);
  EXPECT_TRUE(shadow.isDead(three));
  EXPECT_FALSE(shadow.isWritten(90, 91));
  EXPECT_FALSE(shadow.isDead(shadow.begin())); // never wrote
}
