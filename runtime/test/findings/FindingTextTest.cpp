// What findings say, where it depends on what is known.
// SPDX-License-Identifier: Apache-2.0
#include "findings/FindingText.h"
#include "Support.h"
#include "calls/sites/Sites.h"
#include <gtest/gtest.h>

namespace gpuinstr {

namespace {

std::string messageOf(const FindingRecord &record) { return findingText(record, "x").message; }
std::string fixOf(const FindingRecord &record) { return findingText(record, "x").fix; }

FindingRecord recordOf(Pattern pattern, uint64_t count) {
  FindingRecord r;
  r.key.pattern = pattern;
  r.count = count;
  return r;
}

TEST(FindingText, OneEventAndSeveral) {
  FindingRecord r = recordOf(Pattern::Leak, 1);
  r.key.resource = GPUINSTR_RES_EVENT;
  EXPECT_EQ(messageOf(r), "x: one event from the call never freed");
  r.count = 2;
  EXPECT_EQ(messageOf(r), "x: 2 events from the call never freed");
}

TEST(FindingText, SmallCopiesAreCountedByRow) {
  FindingRecord r = recordOf(Pattern::SmallCopies, 24);
  r.rows = 1;
  EXPECT_EQ(messageOf(r), "24 copies of at most 64 KiB, one after the other, with nothing between");
  r.count = 26;
  r.rows = 3;
  EXPECT_EQ(messageOf(r),
            "26 copies of at most 64 KiB, in 3 rows of 9 on average, with nothing between");
}

TEST(FindingText, WhatWasFreeIsSaidWhereItIsKnown) {
  FindingRecord r = recordOf(Pattern::OutOfMemory, 1);
  r.bytes = 4000;
  r.key.error = 2;
  EXPECT_EQ(messageOf(r), "the call asked for 4.00 kB: cudaErrorMemoryAllocation");
  r.free = 2000;
  EXPECT_EQ(messageOf(r),
            "the call asked for 4.00 kB when 2.00 kB were free: cudaErrorMemoryAllocation");
}

TEST(FindingText, ASizeBelowZeroIsCalledOne) {
  FindingRecord r = recordOf(Pattern::OutOfBoundsCopy, 1);
  r.capacity = 8000;
  r.past = uint64_t(-8008);
  EXPECT_EQ(messageOf(r), "the call runs 18.4 EB (the size is negative) past the end of an "
                          "allocation of 8.00 kB made at an unknown place");
  r.past = 8;
  EXPECT_EQ(messageOf(r), "the call runs 8 B past the end of an allocation of 8.00 kB made at an "
                          "unknown place");
}

TEST(FindingText, AKernelsFaultIsNotTheCallsOwnError) {
  FindingRecord r = recordOf(Pattern::IgnoredError, 1);
  r.key.error = 700;
  EXPECT_EQ(messageOf(r), "the call returned cudaErrorIllegalAddress, which nobody looked at: from "
                          "the fault on, all calls fail");
  EXPECT_EQ(findingText(r, "x").fix,
            "look for the fault with compute-sanitizer; check the result of the call");
  r.key.error = 1;
  EXPECT_EQ(messageOf(r), "the call returned cudaErrorInvalidValue, which nobody looked at");
  EXPECT_EQ(findingText(r, "x").fix, "check the result of the call");
  FindingRecord launch = recordOf(Pattern::FailedLaunch, 1);
  launch.key.error = 700;
  EXPECT_EQ(messageOf(launch), "the call did not start: cudaErrorIllegalAddress, and nobody asked: "
                               "from the fault on, all calls fail");
  EXPECT_EQ(findingText(launch, "x").fix,
            "look for the fault with compute-sanitizer; check cudaGetLastError() after the launch");
}

TEST(FindingText, WhoseWordItIsThatBytesWereSentBefore) {
  FindingRecord r = recordOf(Pattern::Reupload, 8);
  r.repeats = r.checked = r.unchanged = r.hostChecked = 8;
  EXPECT_EQ(messageOf(r),
            "all 8 repeats: the host sent the bytes that were sent before at an unknown place");
  r.hostChecked = 0;
  EXPECT_EQ(messageOf(r), "all 8 repeats checked, all unchanged: the bytes that were sent before "
                          "at an unknown place");
  r.hostChecked = r.checked = r.unchanged = 0;
  r.key.pattern = Pattern::NoopCopy;
  r.repeats = r.checked = r.unchanged = r.hostChecked = 8;
  EXPECT_EQ(messageOf(r), "all 8 repeats: the host sent the same bytes");
}

TEST(FindingText, WhereTheHostAloneLookedNothingIsSaidOfTheDevice) {
  FindingRecord r = recordOf(Pattern::NoopCopy, 3);
  r.key.grade = Grade::Advice;
  r.direction = TransferDirection::HostToDevice;
  r.repeats = r.checked = r.hostChecked = 4;
  r.unchanged = 3;
  EXPECT_EQ(messageOf(r), "3 of 4 repeats: the host sent the same bytes");
  r.hostChecked = 3;
  EXPECT_EQ(messageOf(r), "3 of 4 repeats changed nothing");
}

TEST(FindingText, OfWhatNobodyLookedAtNothingIsLikely) {
  FindingRecord r = recordOf(Pattern::NoopCopy, 17);
  r.key.grade = Grade::Proven;
  r.repeats = r.checked = r.unchanged = 17;
  r.behindWrites = 3;
  EXPECT_EQ(messageOf(r), "all 17 repeats checked, all unchanged; 3 more, not compared, behind "
                          "something that may write it");
  r.behindLooks = 1;
  EXPECT_EQ(messageOf(r), "all 17 repeats checked, all unchanged; 3 more, likely for nothing, "
                          "behind something that may write it");
}

TEST(FindingText, ACopyOntoItselfIsDropped) {
  FindingRecord r = recordOf(Pattern::NoopCopy, 1);
  r.repeats = 1;
  EXPECT_EQ(messageOf(r), "source and destination are the same");
  EXPECT_EQ(findingText(r, "x").fix, "drop it");
}

/// A flag that the host resets, and a kernel may set: to send it once would be wrong.
TEST(FindingText, WhatAKernelWritesIsSentAnewBehindIt) {
  FindingRecord r = recordOf(Pattern::NoopCopy, 59);
  r.key.grade = Grade::Likely;
  r.repeats = 59;
  r.checked = r.unchanged = 5;
  r.direction = TransferDirection::HostToDevice;
  r.mayBeWritten = true;
  r.kernels.add(1, GPUINSTR_ACCESS_READ);
  EXPECT_EQ(findingText(r, "d_flag").fix,
            "copy once before the loop, or only after the source changes");
  r.kernels.add(2, GPUINSTR_ACCESS_WRITE);
  EXPECT_EQ(findingText(r, "d_flag").fix,
            "copy once before the loop, or only after the source changes or a kernel wrote d_flag");
}

TEST(FindingText, ASetBeforeTheFreeOfMemoryInUseMayWipeASecret) {
  FindingRecord r = recordOf(Pattern::DeadCopy, 6);
  r.isByFree = true;
  r.key.related = 4;
  r.key.grade = Grade::Likely;
  EXPECT_EQ(findingText(r, "key").fix, "drop it, and the memory if nothing else uses it");
  r.key.grade = Grade::Advice;
  EXPECT_EQ(findingText(r, "key").fix, "drop it, unless it wipes a secret");
}

TEST(FindingText, WhatFreedTheMemoryMayBeALibrarysCall) {
  FindingRecord r = recordOf(Pattern::Reupload, 8);
  r.repeats = r.checked = r.unchanged = r.hostChecked = 8;
  r.isByFree = true;
  EXPECT_EQ(messageOf(r), "all 8 repeats: the host sent the bytes that an earlier buffer held when "
                          "it was freed at an unknown place");
  EXPECT_EQ(findingText(r, "x").fix, "allocate once and keep the buffer, instead of the free at an "
                                     "unknown place");
  r.key.pattern = Pattern::DeadCopy;
  r.key.related = 4;
  EXPECT_NE(messageOf(r).find(" freed it"), std::string::npos) << messageOf(r);
  r.isByFree = false;
  EXPECT_NE(messageOf(r).find(" overwrote it"), std::string::npos) << messageOf(r);
}

/// A line that sends six contents in turn, to a buffer that it makes anew each time.
TEST(FindingText, OfALineThatSendsOtherBytesAsWell) {
  FindingRecord r = recordOf(Pattern::Reupload, 6);
  r.repeats = r.checked = r.unchanged = r.hostChecked = 6;
  r.news = 4;
  r.isByFree = true;
  const std::string held = "the bytes that an earlier buffer held when it was freed at an unknown "
                           "place";
  EXPECT_EQ(messageOf(r), "6 of 10 uploads looked at: the host sent " + held);
  EXPECT_EQ(fixOf(r), "keep the contents that come again on the device, instead of the free at an "
                      "unknown place");
  r.hostChecked = 2;
  EXPECT_EQ(messageOf(r), "6 of 10 uploads looked at: " + held);
}

TEST(FindingText, WhatToDoAboutBytesThatWereSentBefore) {
  FindingRecord r = recordOf(Pattern::Reupload, 8);
  auto fix = [&] { return findingText(r, "x").fix; };
  EXPECT_EQ(fix(), "send them once, and share the buffer or copy it on the device");
  r.kernels.add(1, GPUINSTR_ACCESS_READ);
  EXPECT_EQ(fix(), "send them once, and share the buffer or copy it on the device");
  r.kernels.add(2, GPUINSTR_ACCESS_READ | GPUINSTR_ACCESS_WRITE);
  EXPECT_EQ(fix(), "send them once, and copy them on the device");
  r.isInTurn = true;
  EXPECT_EQ(fix(), "keep the contents that come again on the device, as far as there is room");
  r.repeats = r.checked = r.unchanged = r.hostChecked = 8;
  EXPECT_EQ(messageOf(r), "all 8 repeats: the host sent the bytes that were sent before at an "
                          "unknown place, and replaced by others since");
  r.isFill = true;
  EXPECT_EQ(fix(), "fill it with cudaMemset or cuMemsetD32: all elements are equal");
}

TEST(FindingText, ADeadCopyWasOverwrittenOrFreed) {
  FindingRecord r = recordOf(Pattern::DeadCopy, 1);
  r.bytes = 4000;
  gpuinstr_site *set = test::makeSite(GPUINSTR_OP_SET, "cudaMemset", 7),
                *free = test::makeSite(GPUINSTR_OP_FREE, "cudaFree", 8);
  test::registerAll({set, free});
  r.key.related = indexOf(set);
  EXPECT_NE(messageOf(r).find(":7 overwrote it"), std::string::npos) << messageOf(r);
  EXPECT_EQ(fixOf(r), "drop the first write");
  const SiteIndex line = r.key.site;
  r.key.site = r.key.related; // in a loop
  EXPECT_EQ(fixOf(r), "drop it");
  r.key.site = line;
  r.made = 4;
  EXPECT_NE(messageOf(r).find("; 1 of 4 at this line"), std::string::npos) << messageOf(r);
  EXPECT_NE(fixOf(r).find("leave it out where "), std::string::npos) << fixOf(r);
  EXPECT_NE(fixOf(r).find(":7 follows unread; the others are needed"), std::string::npos)
      << fixOf(r);
  r.key.grade = Grade::Advice;
  EXPECT_EQ(fixOf(r), "leave it out where nobody reads it");
  r.key.grade = Grade::Likely;
  r.made = 0;
  r.key.related = indexOf(free);
  EXPECT_EQ(fixOf(r), "drop it, and the memory if nothing else uses it");
  EXPECT_NE(messageOf(r).find(":8 freed it"), std::string::npos) << messageOf(r);
}

TEST(FindingText, ADeadCopySaysHowMuchOfItWasCompared) {
  FindingRecord r = recordOf(Pattern::DeadCopy, 3);
  gpuinstr_site *launch = test::makeSite(GPUINSTR_OP_LAUNCH, "writes", 9);
  test::registerAll({launch});
  r.key.grade = Grade::Likely;
  r.key.related = indexOf(launch);
  r.checked = 3;
  EXPECT_NE(messageOf(r).find(":9 overwrote them unread"), std::string::npos) << messageOf(r);
  EXPECT_EQ(fixOf(r), "drop it: the kernel writes all of it");
  r.elements = 96;
  EXPECT_NE(messageOf(r).find("unread: all 96 elements compared were others"), std::string::npos);
  EXPECT_EQ(fixOf(r), "drop it if the kernel writes all of it");
  r.made = 5;
  EXPECT_NE(messageOf(r).find("; 3 seen of 5 at this line"), std::string::npos) << messageOf(r);
}

} // namespace
} // namespace gpuinstr
