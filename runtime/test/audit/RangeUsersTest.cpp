// The launches that got an allocation's address.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/RangeUsers.h"
#include "gpuinstr/abi.h"
#include <gtest/gtest.h>

namespace gpuinstr::audit {

namespace {

constexpr uint8_t Read = GPUINSTR_ACCESS_READ, Write = GPUINSTR_ACCESS_WRITE;

KernelUses usesOf(const RangeUsers &users) {
  KernelUses uses;
  users.addTo(uses);
  return uses;
}

uint8_t accessAt(const RangeUsers &users, SiteIndex site) {
  for (auto [known, access] : usesOf(users).known)
    if (known == site)
      return access;
  return 0;
}

TEST(RangeUsers, WhatAllDoIsNotedOnceForEach) {
  RangeUsers users;
  for (unsigned round = 0; round < 2; ++round)
    for (SiteIndex site = 1; site <= 9; ++site)
      users.note(site, Read);
  EXPECT_EQ(usesOf(users).known.size(), 6u);
  EXPECT_TRUE(usesOf(users).more);
  EXPECT_EQ(users.lastSite(), 9u);
}

TEST(RangeUsers, WhatIsNewOfAKnownOneIsLearntLate) {
  RangeUsers users;
  for (SiteIndex site = 1; site <= 9; ++site)
    users.note(site, Read);
  users.note(2, Write);
  EXPECT_EQ(accessAt(users, 2), Read | Write);
  EXPECT_EQ(accessAt(users, 3), Read);
  EXPECT_EQ(users.lastWriter(), 2u);
  for (SiteIndex site : {1, 3, 4, 5, 6, 7})
    users.note(site, Read | Write);
  EXPECT_EQ(accessAt(users, 6), Read | Write);
  EXPECT_EQ(users.lastSite(), 7u);
  EXPECT_EQ(users.lastWriter(), 7u);
}

TEST(RangeUsers, TheFirstWriterStaysTheFirst) {
  RangeUsers users;
  EXPECT_EQ(users.firstWriter(), 0u);
  users.notePassed(1);
  users.note(2, Read);
  EXPECT_EQ(users.firstWriter(), 0u);
  users.note(3, Write);
  users.note(4, Read | Write);
  EXPECT_EQ(users.firstWriter(), 3u);
  EXPECT_EQ(users.lastWriter(), 4u);
}

TEST(RangeUsers, AClearedOneStartsAnew) {
  RangeUsers users;
  for (SiteIndex site = 1; site <= 9; ++site)
    users.note(site, Read);
  users.clear();
  EXPECT_TRUE(usesOf(users).known.empty());
  users.note(12, Read);
  EXPECT_EQ(accessAt(users, 12), Read);
}

} // namespace

} // namespace gpuinstr::audit
