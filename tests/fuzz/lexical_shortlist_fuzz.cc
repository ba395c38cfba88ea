// Input: the sizes of the source and the target vocabulary, a byte each, and a lexical shortlist.
// The target corrects the checksum, because nearly every input would be refused for it otherwise.

#include "engine/model/formats/lexical_shortlist.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const dragoman::engine::LexicalShortlist::Vocabularies vocabularies{1 + data[0], 1 + data[1],
                                                                      data[0] % 2 == data[1] % 2};
  std::vector<uint8_t> bytes(data + 2, data + size);
  constexpr size_t kChecksum = sizeof(uint64_t);
  if (bytes.size() >= 2 * kChecksum) {
    const uint64_t checksum = dragoman::engine::ShortlistChecksum(bytes);
    std::memcpy(bytes.data() + kChecksum, &checksum, sizeof(checksum));
  }
  const auto shortlist = dragoman::engine::LexicalShortlist::Parse(bytes, "fuzz.bin", vocabularies);
  if (!shortlist.ok()) return 0;
  std::vector<int32_t> source(static_cast<size_t>(
      vocabularies.shared ? std::min(vocabularies.source_words, vocabularies.target_words)
                          : vocabularies.source_words));
  std::iota(source.begin(), source.end(), 0);
  const std::vector<int32_t> words = shortlist->WordsFor(source, {});
  dragoman::FuzzCheck(std::is_sorted(words.begin(), words.end()));
  dragoman::FuzzCheck(std::adjacent_find(words.begin(), words.end()) == words.end());
  dragoman::FuzzCheck(words.empty() ||
                      (words.front() >= 0 && words.back() < vocabularies.target_words));
  return 0;
}
