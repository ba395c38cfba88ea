#include "tests/engine/text/text_test_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace dragoman::engine {

std::string ReadSourceFile(const std::string& path) {
  std::ifstream file(std::string(DRAGOMAN_SOURCE_DIR "/") + path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> GermanLines() {
  std::vector<std::string> lines;
  for (const char* path : {"tests/data/german.txt", "tests/data/paragraphs.txt"}) {
    std::istringstream text(ReadSourceFile(path));
    for (std::string line; std::getline(text, line);) {
      if (!line.empty()) lines.push_back(line);
    }
  }
  return lines;
}

std::string RandomText(std::mt19937& random, int size) {
  static const std::vector<std::vector<std::string>> kKinds = {
      {"a", "e", "n", "s", "t", "D", "H", "ä", "ö", "ü", "ß", "ich", "sch", "en ", "Der ", "und "},
      {" ", " ", "  ", "\t", "\n", "\r\n", "\u00A0", "\u2009", "\u3000", "\u2028", "\u200B"},
      {".", ",", "!", "?", ";", ":", "-", "–", "…", "„", "“", "«", "(", ")", "'", "\"", "<", ">"},
      {"0", "1", "7", "12", "3.", "½", "²", "①", "％"},
      {"Ｈ", "ａ", "ﬁ", "ﬄ", "㎏", "Å", "ǅ", "™", "ﷺ", "ｶﾞ"},
      {"\u0301", "\u0308", "e\u0301", "\u200D", "\uFE0F", "\uFEFF", "\u00AD", "\u202E", "\x01",
       "\x7F"},
      {"漢", "字", "。", "ひ", "カ", "한", "ไ", "ท", "Ж", "д", "ش", "א", "ñ", "ğ"},
      {"😀", "👩\u200D👩\u200D👧", "🇩🇪", "👍🏽", "𝔘", "▁", "<unk>", "</s>", ">>fra<<", "<0x41>"},
  };
  std::string text;
  for (int i = 0; i < size; ++i) {
    // Half of the characters are ordinary letters, so that real pieces occur.
    const auto& kind = random() % 2 == 0 ? kKinds[0] : kKinds[random() % kKinds.size()];
    text += kind[random() % kind.size()];
  }
  return text;
}

}  // namespace dragoman::engine
