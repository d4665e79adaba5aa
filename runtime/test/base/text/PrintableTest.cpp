// Safe names, figures and shares.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace gpuinstr {

TEST(Printable, EscapesWhatActsOnATerminal) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred\x07\x7f"), "\\x1B[31mred\\x07\\x7F");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009B31m"); // a one-character CSI
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202Eb"); // right-to-left override
  EXPECT_EQ(printable("a\xe2\x80\x8b"
                      "b"),
            "a\\u200Bb"); // zero width
  EXPECT_EQ(printable("caf\xc3\xa9 \xe2\x82\xac"), "caf\xc3\xa9 \xe2\x82\xac");
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xFF");
  EXPECT_EQ(printable("\xc3"), "\\xC3");          // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xC0\\xAF"); // overlong
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xE0\\x80\\xAF");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xED\\xA0\\x80"); // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(Printable, HugeTextLosesItsMiddle) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string huge(shift, 'a');
    for (int i = 0; i < 1000; ++i)
      huge += "\xe2\x82\xac";
    std::string text = printable(huge + "end");
    EXPECT_LE(text.size(), 1027u);
    EXPECT_EQ(text.find('\\'), std::string::npos) << "a sequence was split";
    EXPECT_NE(text.find("..."), std::string::npos);
    EXPECT_EQ(text.substr(text.size() - 3), "end");
  }
  EXPECT_EQ(printable(std::string(1024, 'x')), std::string(1024, 'x'));
}

TEST(Printable, WidthAndShortening) {
  EXPECT_EQ(displayWidth("abc"), 3u);
  EXPECT_EQ(displayWidth("caf\xc3\xa9"), 4u);
  EXPECT_EQ(displayWidth("e\xcc\x81"), 1u);    // combining accent
  EXPECT_EQ(displayWidth("\xe6\xbc\xa2"), 2u); // a wide character
  EXPECT_EQ(shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten("abcdefghijk", 10), "abcd...ijk");
  EXPECT_EQ(shorten("abcdefghijk", 4), "abcd");
  EXPECT_EQ(shorten("abcdefghijk", 0), "");
  std::string wide;
  for (int i = 0; i < 50; ++i)
    wide += "\xe6\xbc\xa2";
  for (std::size_t columns = 0; columns < 30; ++columns) {
    std::string text = shorten(wide, columns);
    EXPECT_LE(displayWidth(text), columns);
    EXPECT_EQ(printable(text), text) << "a sequence was split";
  }
  EXPECT_EQ(printable("abc\ndefghijk", 10), "abc\\...ijk");
  EXPECT_EQ(padRight("\xc3\xa9", 3), "\xc3\xa9  ");
  EXPECT_EQ(padLeft("abcd", 3), "abcd");
}

TEST(Printable, Bytes) {
  const std::pair<uint64_t, const char *> cases[] = {
      {0, "0 B"},           {999, "999 B"},          {1000, "1 kB"},
      {1024, "1.02 kB"},    {999499, "999 kB"},      {999500, "1 MB"},
      {4194304, "4.19 MB"}, {8388608, "8.39 MB"},    {64000000, "64 MB"},
      {9999999, "10 MB"},   {1240000000, "1.24 GB"}, {150000000000, "150 GB"},
      {99960000, "100 MB"}, {99940000, "99.9 MB"},   {UINT64_MAX, "18.4 EB"}};
  for (const auto &[bytes, text] : cases)
    EXPECT_EQ(bytesText(bytes), text);
}

TEST(Printable, BytesInSentences) {
  const std::pair<uint64_t, const char *> cases[] = {{0, "0 B"},
                                                     {999, "999 B"},
                                                     {1000, "1.00 kB"},
                                                     {1024, "1.02 kB"},
                                                     {999499, "999 kB"},
                                                     {999500, "1.00 MB"},
                                                     {9999, "10.00 kB"},
                                                     {64000000, "64.0 MB"},
                                                     {99940000, "99.9 MB"},
                                                     {150000000000, "150 GB"},
                                                     {UINT64_MAX, "18.4 EB"}};
  for (const auto &[bytes, text] : cases)
    EXPECT_EQ(bytesText(bytes, Zeros::Kept), text);
}

TEST(Printable, Times) {
  const std::pair<double, const char *> cases[] = {
      {0, "0 ns"},        {812, "812 ns"},      {999.4, "999 ns"}, {999.6, "1 us"},
      {5800, "5.80 us"},  {1450000, "1.45 ms"}, {152e6, "152 ms"}, {2.314e9, "2.31 s"},
      {3600e9, "3600 s"}, {-5, "0 ns"},         {0.0 / 1, "0 ns"}};
  for (const auto &[ns, text] : cases)
    EXPECT_EQ(timeText(ns), text);
}

TEST(Printable, Plurals) {
  EXPECT_EQ(plural(0, "bug", "bugs"), "0 bugs");
  EXPECT_EQ(plural(1, "bug", "bugs"), "1 bug");
  EXPECT_EQ(plural(2, "bug", "bugs"), "2 bugs");
}

TEST(Printable, SharesAddUp) {
  EXPECT_EQ(perMille({1, 1, 1}), (std::vector<unsigned>{334, 333, 333}));
  EXPECT_EQ(perMille({}), std::vector<unsigned>());
  EXPECT_EQ(perMille({0, 0}), (std::vector<unsigned>{0, 0}));
  EXPECT_EQ(perMille({5}), std::vector<unsigned>{1000});
  EXPECT_EQ(perMille({-1, 4}), (std::vector<unsigned>{0, 1000}));
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> parts(1 + random() % 40);
    for (double &part : parts)
      part = static_cast<double>(random() % 1000000) * (random() % 5 ? 1 : 1e9);
    parts[0] += 1;
    std::vector<unsigned> shares = perMille(parts);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0u), 1000u);
  }
  EXPECT_EQ(percentText(0), "0.0");
  EXPECT_EQ(percentText(416), "41.6");
  EXPECT_EQ(percentText(1000), "100.0");
}

} // namespace gpuinstr
