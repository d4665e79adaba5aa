// Memory that the runtime holds is counted where it is taken and given back.
// SPDX-License-Identifier: Apache-2.0
#include "base/OwnMemory.h"
#include "Support.h"
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <vector>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct alignas(128) Wide {
  char bytes[256];
  ~Wide() { bytes[0] = 0; } // so that an array of them stores its length
};

TEST(OwnMemory, WhatIsAllocatedIsHeldUntilItIsGivenBack) {
  uint64_t before = ownHostBytes();
  auto block = std::make_unique<std::vector<char>>(1 << 20);
  EXPECT_GE(ownHostBytes(), before + (1 << 20));
  EXPECT_LE(ownHostBytes(), before + (1 << 20) + 200);
  block.reset();
  EXPECT_EQ(ownHostBytes(), before);
}

TEST(OwnMemory, EveryFormOfNewIsAlignedAndGivenBack) {
  uint64_t before = ownHostBytes();
  Wide *one = new Wide, *many = new Wide[3], *quiet = new (std::nothrow) Wide;
  Wide *quietMany = new (std::nothrow) Wide[2];
  EXPECT_EQ(reinterpret_cast<uintptr_t>(one) % 128, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(many) % 128, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(quiet) % 128, 0u);
  char *plain = new char[100], *quietPlain = new (std::nothrow) char[100];
  auto *number = new (std::nothrow) long double(1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(number) % 16, 0u);
  EXPECT_GE(ownHostBytes(), before + 7 * sizeof(Wide) + 216);
  delete one;
  delete[] many;
  delete quiet;
  delete[] quietMany;
  delete[] plain;
  delete[] quietPlain;
  delete number;
  EXPECT_EQ(ownHostBytes(), before);
}

TEST(OwnMemory, WhatCannotBeHadThrowsOrIsNull) {
  uint64_t before = ownHostBytes();
  volatile std::size_t huge = SIZE_MAX / 2, all = SIZE_MAX - 8;
  EXPECT_THROW(static_cast<void>(::operator new(huge)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(::operator new(all)), std::bad_alloc);
  EXPECT_EQ(::operator new(huge, std::nothrow), nullptr);
  EXPECT_EQ(::operator new(all, std::align_val_t(64), std::nothrow), nullptr);
  EXPECT_EQ(ownHostBytes(), before);
}

TEST(OwnMemory, TheLastReportsFirstMegabytesAreNotTheAllocators) {
  uint64_t before = ownHostBytes();
  char *plain = new char[2000], *own[2], *after;
  const auto isNear = [&](const char *block) {
    return reinterpret_cast<uintptr_t>(block) - reinterpret_cast<uintptr_t>(own[0]) < 4 << 20;
  };
  {
    RescueScope last(RescueScope::MappingFirst);
    delete[] plain; // the allocator would give it to the next
    for (char *&block : own)
      block = new char[2000];
    for (int i = 0; i < 3000; ++i)
      delete[] new char[2000];
    after = new char[2000];
  }
  char *behind = new char[2000];
  EXPECT_EQ(own[1] - own[0], 2016) << "one behind the other, each with its size";
  EXPECT_NE(own[0], plain);
  EXPECT_FALSE(isNear(after)) << "all of it would be too much";
  EXPECT_FALSE(isNear(behind));
  own[0][1999] = own[1][1999] = 1;
  for (char *block : {own[0], own[1], after, behind})
    delete[] block;
  EXPECT_EQ(ownHostBytes(), before);
}

TEST(OwnMemory, MappingsCountWhileTheyAreAnnounced) {
  uint64_t before = ownHostBytes();
  noteOwnMapping(4096);
  EXPECT_EQ(ownHostBytes(), before + 4096);
  noteOwnMapping(-4096);
  EXPECT_EQ(ownHostBytes(), before);
}

TEST(OwnMemory, TheProfileHasItAndCallsDoNotRaiseIt) {
  FakeDriver::install();
  table();
  gpuinstr_site *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 5);
  Function f;
  auto calls = [&](int number) {
    for (int i = 0; i < number; ++i)
      f.call(sync, [] { return 0; });
    return profileNow().process;
  };
  calls(1); // making a profile takes what it keeps
  profile::Process first = calls(100);
  EXPECT_GT(first.own_host_bytes, 1000u);
  EXPECT_EQ(first.own_device_bytes, 0u) << "no engine on a driver that cannot load modules";
  EXPECT_LE(calls(10000).own_host_bytes, first.own_host_bytes + 4096);
  FakeDriver::reset();
}

} // namespace
