// The truth about a run: which copies and sets were for nothing, which memory nobody used.
// SPDX-License-Identifier: Apache-2.0
//
// GPUINSTR_SIM=oracle=FILE: each copy and set is compared with what is there, each byte has its
// last writer (ShadowMemory.h), and FILE says at exit what was true of the calls of each line. A
// program says which line a call stands in; what its kernels read and write, functions of its own
// describe.
#pragma once

#include "device/oracle/Promises.h"
#include "device/oracle/ShadowMemory.h"
#include "device/state/SimulatorState.h"

extern "C" {
/// Says through gpuinstr_simulator_reads and _writes what a launch with these arguments touches. It
/// is called in stream order: before the kernel starts, and once it has ended.
typedef void (*gpuinstr_simulator_description)(const unsigned grid[3], const unsigned block[3],
                                               void **arguments);
}

namespace gpuinstr::sim {

/// A copy or set: its rows, each side one after the other.
struct TransferRows {
  std::vector<std::pair<char *, size_t>> to, from;
  std::vector<char> bytes; ///< what a set writes
  bool toArray = false, fromArray = false;
  unsigned line = 0;
  uint64_t order = 0;
};

class Oracle {
public:
  /// Null unless GPUINSTR_SIM asks for it.
  static Oracle *get();

  /// The program asks for a copy or set: its place in the order of all.
  uint64_t asked(const TransferRows &rows);
  /// Does the work, judging it. No lock is held.
  void perform(TransferRows rows);
  void beforeKernel(const KernelOp &op);
  void afterKernel(const KernelOp &op);

  /// Memory comes and goes; with the state's lock held.
  void allocated(CUdeviceptr address, const Allocation &made);
  void freed(CUdeviceptr address);

  /// The program says that its line made the allocation at \p address.
  void made(const void *address, unsigned line);
  void describe(const void *symbol, gpuinstr_simulator_description description);
  void touch(const void *address, size_t bytes, bool writes);

  void write();

private:
  enum What { All, Noop, Reupload, Roundtrip, Uniform, Dead, Unread, Whats };
  struct Sum {
    uint64_t count = 0, bytes = 0;
    void add(uint64_t more) {
      ++count;
      bytes += more;
    }
  };
  struct Line {
    Sum sums[Whats];
  };
  struct Memory {
    uint64_t bytes = 0, id = 0;
    unsigned line = 0;
    bool isDevice = false, isUsed = false;
    bool isVariable = false; ///< any kernel may read it: never dead
  };
  struct MemoryLine {
    Sum all, unused, leaked;
  };
  struct Write {
    unsigned line;
    uint64_t bytes;
    ShadowMemory::Writer writer;
  };
  /// Where the host sent some bytes, in an allocation that may be gone by now.
  struct Place {
    uint64_t memory;
    std::vector<std::pair<char *, size_t>> rows;
  };
  struct Content {
    std::vector<Place> places;
    bool wasFreed = false; ///< with these bytes in it
  };

  Memory *memoryAt(const void *address, uint64_t *base = nullptr);
  bool isDevice(const void *address);
  void use(const void *address);
  void useAll();
  bool isNoop(const TransferRows &rows);
  static bool holds(const Place &place, uint64_t key);
  bool isKnown(const Content &content, uint64_t key) const;
  void noteUpload(const TransferRows &rows, uint64_t key);
  void noteDownload(const TransferRows &rows);
  bool cameFromThere(const TransferRows &rows) const;
  void noteKernel(const KernelOp &op, bool ended);

  std::mutex Mutex;
  /// Memory that a copy or set was asked to write, whether it has come to that or not: of two in
  /// streams of their own, the first need not be the one that the program asked for first.
  Promises Promised;
  ShadowMemory Shadow;
  uint64_t LastOrder = 0;
  std::map<uint64_t, Memory> Memories; ///< live ones, by address
  std::map<unsigned, Line> Lines;
  std::map<unsigned, MemoryLine> MemoryLines;
  std::vector<Write> Writes;
  std::unordered_map<uint64_t, Content> Sent; ///< by the hash of what was sent
  /// What came from where, by its first address.
  std::map<uint64_t, std::vector<std::vector<char>>> Brought;
  std::unordered_map<const void *, gpuinstr_simulator_description> Descriptions;
};

} // namespace gpuinstr::sim
