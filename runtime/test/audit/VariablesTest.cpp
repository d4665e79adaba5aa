// Variables of device code that the program knows by address: they come with the driver's answer,
// and go with their module. SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/WasteFindings.h"
#include "cuda/Driver.h"

namespace gpuinstr::test {
namespace {

constexpr uint64_t Module = 0x5500, OtherModule = 0x5600;
char *Place = nullptr;
bool IsManaged = false;
unsigned Asked = 0;
int (*Others)(unsigned, int *, void **, uint64_t) = nullptr;

int attributesOf(unsigned count, int *attributes, void **values, uint64_t address) {
  constexpr int MemoryType = 2, Managed = 8;
  uint64_t place = reinterpret_cast<uint64_t>(Place);
  if (address < place || address >= place + AuditTest::Bytes)
    return Others(count, attributes, values, address);
  for (unsigned i = 0; i < count; ++i)
    if (attributes[i] == MemoryType)
      *static_cast<uint32_t *>(values[i]) = 2;
    else if (attributes[i] == Managed)
      *static_cast<bool *>(values[i]) = IsManaged;
  return 0;
}

struct Variables : VariedBytes {
  void SetUp() override {
    VariedBytes::SetUp();
    memory.push_back(std::make_unique<char[]>(Bytes));
    Place = memory.back().get();
    IsManaged = false;
    Asked = 0;
    DriverApi api = *driverApi();
    Others = api.pointerGetAttributes;
    api.pointerGetAttributes = attributesOf;
    api.moduleGetGlobal = [](uint64_t *, size_t *bytes, void *, const char *) {
      ++Asked;
      *bytes = AuditTest::Bytes;
      return 0;
    };
    useDriver(api);
    before = profileNow().coverage.foreign_operations;
  }

  void TearDown() override {
    noteManagedAsked(false);
    VariedBytes::TearDown();
  }

  void ask(uint64_t owner = Module, bool withSize = true) {
    uint64_t address = reinterpret_cast<uint64_t>(Place), size = Bytes;
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&address);
    f.frame.slot[GPUINSTR_SLOT_ARGS] = withSize ? reinterpret_cast<uint64_t>(&size) : 0;
    f.frame.slot[GPUINSTR_SLOT_FUNC] = owner;
    f.frame.slot[GPUINSTR_SLOT_PARAMS] = reinterpret_cast<uint64_t>("table");
    constexpr uint32_t Slots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_ARGS) |
                               bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_PARAMS);
    f.call(site(GPUINSTR_OP_EXPORT, "cuModuleGetGlobal", 70, Slots, 0, GPUINSTR_SITE_DRIVER, 1),
           [] { return 0; });
  }
  void unload(uint64_t owner) { simple(GPUINSTR_OP_OTHER, "cuModuleUnload", 71, 0, owner, 1); }
  void uploadTimes(unsigned times) {
    for (unsigned i = 0; i < times; ++i)
      upload(20, Place, host.data());
  }
  /// Of this test: they are no part of the auditor.
  uint64_t foreign() { return profileNow().coverage.foreign_operations - before; }
  uint64_t before = 0;
};

TEST_F(Variables, AreJudgedAsOtherMemory) {
  ask();
  uploadTimes(6);
  EXPECT_EQ(finding("noop-copy", "proven").count, 5u);
  EXPECT_EQ(foreign(), 0u);
}

TEST_F(Variables, NobodyAskedFor) {
  uploadTimes(6);
  EXPECT_EQ(finding("noop-copy", "proven").count, 0u);
  EXPECT_EQ(foreign(), 6u);
}

TEST_F(Variables, MayBeWrittenByEveryKernel) {
  ask();
  for (int i = 0; i < 6; ++i) {
    uploadTimes(1);
    launch("other", {}, {});
  }
  EXPECT_EQ(finding("noop-copy", "proven").count, 0u);
  EXPECT_EQ(finding("noop-copy", "likely").count, 5u);
}

TEST_F(Variables, GoWithTheirModule) {
  ask();
  uploadTimes(2);
  unload(OtherModule);
  uploadTimes(1);
  EXPECT_EQ(foreign(), 0u);
  unload(Module);
  uploadTimes(1);
  EXPECT_EQ(foreign(), 1u);
  ask(OtherModule); // lies where the first one lay, and is none of it
  uploadTimes(2);
  EXPECT_EQ(foreign(), 1u);
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(Variables, AskedForAgainStayWhatTheyAre) {
  for (int i = 0; i < 6; ++i) {
    ask();
    uploadTimes(1);
  }
  EXPECT_EQ(finding("noop-copy", "proven").count, 5u);
}

TEST_F(Variables, ThatAreManagedTheHostWrites) {
  IsManaged = true;
  ask();
  uploadTimes(6);
  EXPECT_EQ(finding("noop-copy", "proven").count, 0u);
  EXPECT_EQ(foreign(), 6u);
}

TEST_F(Variables, ThatAreManagedLeadKernelsAnywhere) {
  char *flag = alloc(10), *other = alloc(11);
  auto rounds = [&](int line) {
    for (int i = 0; i < 6; ++i) {
      upload(line, flag, host.data());
      launch("follows", {parameter(Reads)}, {other}, 0, GPUINSTR_KERNEL_ENDS);
    }
  };
  rounds(22);
  EXPECT_EQ(finding("noop-copy", "proven").count, 5u);
  IsManaged = true;
  ask();
  flag = alloc(12);
  rounds(23);
  EXPECT_EQ(finding("noop-copy", "proven").count, 5u) << "of line 22";
  EXPECT_EQ(finding("noop-copy", "likely").count, 5u);
}

TEST_F(Variables, ThatAreManagedTheHostMayWaitFor) {
  char *d = alloc(10);
  auto rounds = [&](unsigned line) {
    for (int i = 0; i < 6; ++i) {
      launch("work", {parameter(Writes)}, {d});
      f.call(site(GPUINSTR_OP_SYNC_DEVICE, "cuCtxSynchronize", line, 0, 0, GPUINSTR_SITE_QUIET_ALL),
             [] { return 0; });
      download(30, host.data(), d);
    }
  };
  rounds(72);
  EXPECT_EQ(finding("needless-sync").count, 6u);
  IsManaged = true;
  ask();
  rounds(73);
  EXPECT_EQ(finding("needless-sync").count, 6u) << "of line 72";
}

TEST_F(Variables, SizeThatNobodyWantedToKnow) {
  ask(Module, false);
  EXPECT_EQ(Asked, 1u);
  uploadTimes(6);
  EXPECT_EQ(finding("noop-copy", "proven").count, 5u);
}

TEST_F(Variables, NoHashIsLeftInAStream) {
  ask();
  uint64_t stream = makeStream(true);
  uploadTimes(1);
  const unsigned before = engine.hashes;
  for (int i = 0; i < 6; ++i) {
    uploadAsync(21, Place, host.data(), stream);
    syncStream(stream);
  }
  EXPECT_EQ(engine.hashes, before);
  EXPECT_EQ(finding("noop-copy", "likely").count, 6u);
}

/// As cudart's symbols are known: kernels name them, and nobody asked where they lie.
struct Symbols : VariedBytes {
  char *table = nullptr;
  void SetUp() override {
    VariedBytes::SetUp();
    table = alloc(10);
    audit::auditor().ranges.find(reinterpret_cast<uint64_t>(table))->variable = true;
  }
  void run(uint64_t stream = 0) { launch("named", {}, {}, stream, GPUINSTR_KERNEL_KEEPS_GLOBALS); }
  void fillTimes(unsigned times, const std::function<void()> &between) {
    for (unsigned i = 0; i < times; ++i) {
      host[i] ^= 1;
      upload(20, table, host.data());
      between();
    }
  }
};

TEST_F(Symbols, AreReadByEveryKernel) {
  fillTimes(5, [&] { run(); });
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Symbols, AreReadByKernelsThatRunYet) {
  run(makeStream(true));
  fillTimes(5, [] {});
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(Symbols, NobodyReads) {
  fillTimes(5, [] {});
  EXPECT_EQ(finding("dead-copy").count, 4u);
}

TEST_F(Symbols, KernelsThatNameThemDoNotWriteThem) {
  for (int i = 0; i < 5; ++i) {
    upload(20, table, host.data());
    run();
  }
  EXPECT_EQ(finding("noop-copy").count, 4u);
  EXPECT_EQ(finding("noop-copy").message.find("may write it"), std::string::npos);
}

/// Of a statically linked cudart, which nobody can ask where they lie.
struct HiddenSymbols : VariedBytes {
  static constexpr char Symbol = 0;
  void download() {
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(host.data());
    f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(&Symbol);
    f.frame.slot[GPUINSTR_SLOT_BYTES] = Bytes;
    f.frame.slot[GPUINSTR_SLOT_DEPTH] = 0;
    f.frame.slot[GPUINSTR_SLOT_KIND] = 2;
    f.call(site(GPUINSTR_OP_COPY_SYMBOL, "cudaMemcpyFromSymbol", 30,
                CopySlots | bit(GPUINSTR_SLOT_DEPTH), 0, 0, 1),
           [] { return 0; });
  }
  void run() { launch("writes-it", {}, {}, 0, GPUINSTR_KERNEL_ENDS); }
};

TEST_F(HiddenSymbols, ADownloadIsJudged) {
  run();
  download();
  EXPECT_EQ(audit::auditFigures().variables, 0u);
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(HiddenSymbols, BroughtAgainAsTheyWere) {
  for (int i = 0; i < 6; ++i)
    download();
  EXPECT_EQ(finding("noop-copy", "likely").count, 5u);
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(HiddenSymbols, BroughtAfterAKernelThatHasWrittenThem) {
  for (int i = 0; i < 6; ++i) {
    run();
    host[0] ^= 1;
    download();
  }
  EXPECT_TRUE(none("noop-copy"));
}

} // namespace
} // namespace gpuinstr::test
