// Whether the device changes its engine for an operation.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/OperationKind.h"
#include "base/Clock.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::timing;

namespace {

constexpr uint64_t ToDevice = 1, ToHost = 2, WithinDevice = 3, Default = 4; // cudaMemcpyKind

uint64_t ticksOf(double us) { return uint64_t(us * 1000 / nsPerTick()); }

gpuinstr_site siteOf(uint32_t slots, uint32_t flags) {
  gpuinstr_site site = {};
  site.op = GPUINSTR_OP_COPY;
  site.slots = slots;
  site.flags = flags;
  return site;
}

const gpuinstr_site WithKind = siteOf(1u << GPUINSTR_SLOT_KIND, 0);

LastCopy copied(uint64_t kind, double callUs = 3) {
  return {ticksOf(1000), ticksOf(callUs), &WithKind, kind};
}

OperationKind copyOf(CopyDirection direction) {
  OperationKind key;
  key.work = DeviceWorkKind::Copy;
  key.direction = direction;
  return key;
}

EngineChange forKernel(const LastCopy &behind) {
  return engineChange(OperationKind(), WorkClass::Kernel, behind);
}
EngineChange forDownload(const LastCopy &behind) {
  return engineChange(copyOf(CopyDirection::DeviceToHost), WorkClass::Copy, behind);
}

TEST(EngineChange, KernelsBehindCopies) {
  EXPECT_EQ(forKernel({}), EngineChange::None);
  EXPECT_EQ(forKernel(copied(ToDevice)), EngineChange::Likely);
  EXPECT_EQ(forKernel(copied(ToHost)), EngineChange::Likely);
  EXPECT_EQ(forKernel(copied(WithinDevice)), EngineChange::None) << "a kernel of the driver's";
  EXPECT_EQ(forKernel(copied(ToDevice, 300)), EngineChange::Perhaps) << "the host's bytes copied";
}

TEST(EngineChange, CopiesBehindOtherWork) {
  EXPECT_EQ(forDownload({}), EngineChange::Likely) << "kernels, mostly";
  EXPECT_EQ(forDownload(copied(ToHost)), EngineChange::None);
  EXPECT_EQ(forDownload(copied(ToDevice)), EngineChange::Likely);
  EXPECT_EQ(forDownload(copied(WithinDevice)), EngineChange::Likely);
  EXPECT_EQ(forDownload(copied(Default)), EngineChange::Likely) << "nobody knows";
}

TEST(EngineChange, TheDriversFunctionsSayTheDirectionThemselves) {
  const gpuinstr_site up = siteOf(0, GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_HOST_SRC),
                      down = siteOf(0, GPUINSTR_SITE_HOST_DST | GPUINSTR_SITE_DEVICE_SRC);
  // What lies in the slot is not theirs.
  EXPECT_EQ(forDownload({1, 1, &down, ToDevice}), EngineChange::None);
  EXPECT_EQ(forDownload({1, 1, &up, ToHost}), EngineChange::Likely);
}

TEST(EngineChange, OnlyWhatWasIssuedJustBeforeStandsBefore) {
  const LastCopy last = copied(ToDevice);
  EXPECT_EQ(copyBefore(last, last.endTicks + ticksOf(1)).endTicks, last.endTicks);
  EXPECT_EQ(copyBefore(last, last.endTicks + ticksOf(3)).endTicks, 0u);
  EXPECT_EQ(copyBefore({}, ticksOf(1)).endTicks, 0u);
}

} // namespace
