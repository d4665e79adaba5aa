// gpuinstr sites on files that are not what they should be: an error or nothing, never a crash.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/EmbeddedSites.h"
#include "io/Failure.h"
#include "support/Temporary.h"
#include <cstring>
#include <elf.h>
#include <random>

namespace gpuinstr::test {

/// Whether it was read at all; nothing in these files was instrumented.
static bool isRead(const std::string &file) {
  try {
    EXPECT_TRUE(cli::embeddedModules(file).empty());
    return true;
  } catch (const cli::Failure &) {
    return false;
  }
}

TEST(ElfSites, PlainProgramsHaveNone) { EXPECT_TRUE(isRead(cli::readText("/bin/true"))); }

TEST(ElfSites, CutShort) {
  std::string file = cli::readText("/bin/true");
  for (std::size_t size : {0, 1, 4, 63, 64, 65, 100, 500})
    EXPECT_FALSE(isRead(file.substr(0, size))) << size;
  for (std::size_t size = 512; size < file.size(); size += 997)
    isRead(file.substr(0, size));
}

TEST(ElfSites, OneSegmentThatIsListedTenThousandTimes) {
  std::string file = cli::readText("/bin/true");
  Elf64_Ehdr head;
  std::memcpy(&head, file.data(), sizeof head);
  Elf64_Phdr all = {};
  all.p_type = PT_LOAD;
  all.p_flags = PF_R | PF_W;
  all.p_filesz = file.size();
  std::memcpy(&file[head.e_phoff], &all, sizeof all);
  head.e_phentsize = 0;
  head.e_phnum = 10000;
  std::memcpy(file.data(), &head, sizeof head);
  EXPECT_FALSE(isRead(file)); // hours, before
}

TEST(ElfSites, ChangedBytes) {
  const std::string file = cli::readText("/bin/true");
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string changed = file;
    // Half of them in the headers, where sizes and places stand.
    std::size_t range = round % 2 ? 1024 : file.size();
    for (int i = 0; i < 4; ++i)
      changed[random() % range] = static_cast<char>(random());
    refused += !isRead(changed);
  }
  EXPECT_GT(refused, 0u);
}

TEST(ElfSites, OtherFiles) {
  Folder folder;
  EXPECT_EQ(gpuinstr({"sites", folder.write("a.txt", "int main() {}")}).code, 2);
  Result plain = gpuinstr({"sites", "/bin/true"});
  EXPECT_EQ(plain.code, 2);
  EXPECT_NE(plain.err.find("nothing in it was compiled with the plugin"), std::string::npos);
}

} // namespace gpuinstr::test
