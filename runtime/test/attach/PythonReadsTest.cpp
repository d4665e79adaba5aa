// Reads of Python's objects, which here lie in this process's own memory, and who may read when.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonReads.h"
#include "attach/python/PythonCopies.h"
#include "attach/python/PythonGate.h"
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gpuinstr::attach;

namespace {

template <class T> uint64_t addressOf(const T &object) {
  return reinterpret_cast<uint64_t>(&object);
}

PythonLayout layoutWith(unsigned kindBit) {
  PythonLayout layout = {};
  layout.asciiText = 40;
  layout.wideText = 56;
  layout.kindBit = kindBit;
  layout.copies = 8;
  layout.copyIndex = 72;
  return layout;
}

/// A string object as Python keeps it.
struct StringObject {
  unsigned char raw[128] = {};
  StringObject(uint64_t length, uint32_t state, unsigned at, const void *text, size_t bytes) {
    std::memcpy(raw + 16, &length, sizeof length);
    std::memcpy(raw + 32, &state, sizeof state);
    std::memcpy(raw + at, text, bytes);
  }
};

constexpr uint32_t OneByte = 1, FourBytes = 4, Compact = 1 << 3, Ascii = 1 << 4;

/// A code object with an array of copies, of ten instructions each.
struct Code {
  uint64_t words[8] = {};
  uint64_t copies = addressOf(array);
  uint64_t array[4] = {3, addressOf(instructions[0]), addressOf(instructions[1]), 0};
  uint16_t instructions[3][10] = {};
  Code() { words[1] = copies; } // PyCodeObject.co_tlbc
  Code(const Code &) = delete;

  RunningCode at(int index, unsigned instruction) const {
    const uint16_t *first = instructions[index];
    return {addressOf(words), 1,     addressOf(first[instruction]),
            words[1],         index, sizeof *instructions};
  }
};

thread_local PythonReader *Reader = nullptr;

bool passes() {
  PythonGatePass pass(Reader);
  return pass.mayRead();
}

/// In a process of its own, as a gate that is closed stays closed.
template <class F> int statusOf(F body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST(PythonReads, CannotFault) {
  uint64_t word = 7, read = 0;
  EXPECT_TRUE(readSafely(addressOf(word), read));
  EXPECT_EQ(read, 7u);
  EXPECT_FALSE(readSafely(16, read));
}

TEST(PythonReads, StringsByWhereTheirKindStands) {
  const uint32_t wide[] = {0xe4, 0x1f40d};
  for (unsigned bit : {2u, 8u}) {
    PythonLayout layout = layoutWith(bit);
    StringObject plain(4, (OneByte | Compact | Ascii) << bit, 40, "a.py", 4);
    StringObject letters(2, (FourBytes | Compact) << bit, 56, wide, sizeof wide);
    StringObject none(4, OneByte << bit, 40, "a.py", 4);
    EXPECT_EQ(textOf(layout, addressOf(plain)), "a.py");
    EXPECT_EQ(textOf(layout, addressOf(letters)), "\xc3\xa4\xf0\x9f\x90\x8d");
    EXPECT_EQ(textOf(layout, addressOf(none)), "");
    EXPECT_EQ(textOf(layoutWith(bit == 2 ? 8 : 2), addressOf(plain)), "");
  }
}

TEST(PythonCopies, TheCopyThatAFrameRuns) {
  Code code;
  PythonLayout layout = layoutWith(8);
  for (int index : {0, 1})
    for (unsigned instruction : {0u, 9u})
      EXPECT_EQ(copyOf(layout, code.at(index, instruction)), addressOf(code.instructions[index]));
}

TEST(PythonCopies, AnArrayThatWasExchanged) {
  Code code;
  PythonLayout layout = layoutWith(8);
  EXPECT_EQ(copyOf(layout, code.at(1, 3)), addressOf(code.instructions[1]));
  uint64_t larger[] = {4, code.array[1], code.array[2], addressOf(code.instructions[2]), 0};
  RunningCode before = code.at(2, 3); // what was read of the code object just before
  code.words[1] = addressOf(larger);
  EXPECT_EQ(copyOf(layout, before), addressOf(code.instructions[2]));
  EXPECT_EQ(copyOf(layout, code.at(1, 3)), addressOf(code.instructions[1]));
}

TEST(PythonCopies, NoneWhereTheInstructionLiesElsewhere) {
  Code code;
  PythonLayout layout = layoutWith(8);
  RunningCode beyond = code.at(1, 0);
  beyond.address += beyond.bytes;
  EXPECT_EQ(copyOf(layout, beyond), 0u);
  RunningCode other = code.at(1, 3);
  other.index = 0;
  EXPECT_EQ(copyOf(layout, other), 0u);
  for (int index : {-1, 2, 3}) {
    RunningCode wrong = code.at(1, 3);
    wrong.index = index;
    EXPECT_EQ(copyOf(layout, wrong), 0u) << index;
  }
  code.words[1] = 16; // nothing is mapped there
  RunningCode freed = code.at(1, 4);
  EXPECT_EQ(copyOf(layout, freed), 0u);
}

TEST(PythonCopies, AnotherCodeObjectAtTheSamePlace) {
  Code code;
  PythonLayout layout = layoutWith(8);
  EXPECT_EQ(copyOf(layout, code.at(1, 3)), addressOf(code.instructions[1]));
  code.array[2] = addressOf(code.instructions[2]);
  RunningCode next = code.at(2, 3);
  next.index = 1;
  EXPECT_EQ(copyOf(layout, next), addressOf(code.instructions[2]));
}

TEST(PythonGate, WhoEndsTheInterpreterReadsAlone) {
  EXPECT_EQ(statusOf([] {
              bool before = passes(), after = true;
              closePythonGate();
              std::thread([&] { after = passes(); }).join();
              PythonGatePass own(Reader);
              return before && !after && own.mayRead() && !own.isOpen() ? 7 : 1;
            }),
            7);
}

TEST(PythonGate, ClosingWaitsForThoseWhoRead) {
  EXPECT_EQ(statusOf([] {
              std::atomic<bool> begun{false}, done{false};
              std::thread reader([&] {
                PythonGatePass pass(Reader);
                begun.store(true);
                usleep(50000); // preempted, say
                done.store(true);
              });
              while (!begun.load())
                usleep(100);
              closePythonGate();
              bool waited = done.load();
              reader.join();
              return waited ? 7 : 1;
            }),
            7);
}

TEST(PythonGate, WithoutBarriersToo) {
  EXPECT_EQ(statusOf([] {
              dropPythonBarriers(); // where the system has them
              std::atomic<bool> begun{false}, done{false};
              bool after = true;
              std::thread reader([&] {
                {
                  PythonGatePass pass(Reader);
                  begun.store(true);
                  usleep(50000);
                  done.store(true);
                }
                after = passes();
              });
              while (!begun.load())
                usleep(100);
              closePythonGate();
              bool waited = done.load();
              reader.join();
              return waited && !after ? 7 : 1;
            }),
            7);
}

TEST(PythonGate, ClosingDoesNotWaitForThreadsThatEndedOrNeverRead) {
  EXPECT_EQ(statusOf([] {
              std::atomic<bool> end{false};
              std::thread idle([&] {
                passes();
                while (!end.load())
                  usleep(100);
              });
              std::thread([] { passes(); }).join();
              auto start = std::chrono::steady_clock::now();
              closePythonGate();
              bool atOnce =
                  std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500);
              end.store(true);
              idle.join();
              return atOnce ? 7 : 1;
            }),
            7);
}

TEST(PythonGate, AForkedChildHasNoneOfItsParentsReaders) {
  std::atomic<bool> begun{false}, end{false};
  std::thread reader([&] {
    PythonGatePass pass(Reader);
    begun.store(true);
    while (!end.load())
      usleep(100);
  });
  while (!begun.load())
    usleep(100);
  EXPECT_EQ(statusOf([] {
              auto start = std::chrono::steady_clock::now();
              closePythonGate();
              return std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500) ? 7
                                                                                               : 1;
            }),
            7);
  end.store(true);
  reader.join();
}
