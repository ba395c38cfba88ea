#include "engine/model/formats/lexical_shortlist.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/byte_reader.h"

namespace dragoman::engine {
namespace {

constexpr uint64_t kMagic = 0xF11A48D5013417F5;

struct Header {
  uint64_t magic, checksum, first, best, offsets, words;
};

// The bytes that the checksum does not cover: the magic number and the checksum itself.
constexpr size_t kUnsummedBytes = 2 * sizeof(uint64_t);

}  // namespace

// Computes Marian's util::hashMem over 64-bit numbers. Marian uses std::hash, which returns the
// number itself. bergamot 0.4.5 accepts only files with this checksum.
uint64_t ShortlistChecksum(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  std::span<const uint8_t> unsummed;
  uint64_t sum = 0;
  if (!in.Take(kUnsummedBytes, &unsummed)) return sum;
  for (uint64_t number = 0; in.Read(&number);) {
    sum ^= number + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  return sum;
}

absl::StatusOr<LexicalShortlist> LexicalShortlist::Parse(std::span<const uint8_t> bytes,
                                                         std::string_view file,
                                                         const Vocabularies& vocabularies) {
  const auto fault = [&](const auto&... what) {
    return absl::InvalidArgumentError(Concat(file, ": ", what...));
  };
  ByteReader in(bytes);
  Header header{};
  if (!in.Read(&header)) {
    return fault("found ", bytes.size(), " bytes, expected a shortlist's header of ",
                 sizeof(Header));
  }
  if (header.magic != kMagic) {
    return fault("is no binary shortlist of Marian's: it begins with ",
                 absl::StrCat(absl::Hex(header.magic, absl::kZeroPad16)), ", expected ",
                 absl::StrCat(absl::Hex(kMagic)));
  }
  const auto source_words = static_cast<uint64_t>(vocabularies.source_words);
  if (header.offsets != source_words + 1) {
    return fault("has lists of ", header.offsets == 0 ? 0 : header.offsets - 1,
                 " source words, expected ", source_words, ", the source's vocabulary");
  }
  std::span<const uint8_t> offsets;
  std::span<const uint8_t> words;
  if (!in.Take(header.offsets * sizeof(uint64_t), &offsets) ||
      header.words > in.left() / sizeof(uint32_t) ||
      !in.Take(header.words * sizeof(uint32_t), &words) || in.left() > 0) {
    return fault("has ", bytes.size(), " bytes, and not those of ", header.offsets, " offsets and ",
                 header.words, " words that its header tells of");
  }
  const uint64_t checksum = ShortlistChecksum(bytes);
  if (header.checksum != checksum) {
    return fault("the checksum is ", absl::StrCat(absl::Hex(checksum)), ", expected ",
                 absl::StrCat(absl::Hex(header.checksum)), ": the file is damaged");
  }
  // Offsets are stored in 32 bits, so a file must have fewer than 2^32 words.
  if (header.words > UINT32_MAX) return fault("has ", header.words, " words, which is too many");

  const auto target_words = static_cast<uint64_t>(vocabularies.target_words);
  LexicalShortlist list(vocabularies, static_cast<int64_t>(std::min(header.first, target_words)));
  list.offsets_.reserve(header.offsets);
  ByteReader numbers(offsets);
  uint64_t before = 0;
  for (uint64_t offset = 0; numbers.Read(&offset); before = offset) {
    const size_t number = list.offsets_.size();
    if (offset < before || offset > header.words || (number == 0 && offset != 0)) {
      return fault("offset ", number, " is ", offset, ", expected ", number == 0 ? 0 : before,
                   number == 0 ? "" : Concat(" to ", header.words));
    }
    list.offsets_.push_back(static_cast<uint32_t>(offset));
  }
  if (before != header.words) {
    return fault("the last offset is ", before, ", expected ", header.words,
                 ", the number of words");
  }
  list.words_.reserve(header.words);
  ByteReader ids(words);
  for (uint32_t id = 0; ids.Read(&id);) {
    if (id >= target_words) {
      return fault("word ", list.words_.size(), " of its lists is ", id, ", expected 0 to ",
                   target_words - 1, ", the target's vocabulary");
    }
    list.words_.push_back(static_cast<int32_t>(id));
  }
  return list;
}

std::vector<int32_t> LexicalShortlist::WordsFor(std::span<const int32_t> source,
                                                std::span<const int32_t> more) const {
  constexpr size_t kMultiple = 8;
  constexpr int kBits = 64;
  std::vector<uint64_t> is_in(static_cast<size_t>(vocabularies_.target_words / kBits + 1));
  size_t count = 0;
  const auto add = [&](int32_t word) {
    const auto at = static_cast<size_t>(word / kBits);
    if (at >= is_in.size()) is_in.resize(at + 1);
    const uint64_t bit = uint64_t{1} << (word % kBits);
    count += (is_in[at] & bit) == 0 ? 1 : 0;
    is_in[at] |= bit;
  };
  for (int64_t word = 0; word < first_; ++word) add(static_cast<int32_t>(word));
  for (const int32_t word : source) {
    const auto at = static_cast<size_t>(word);
    if (vocabularies_.shared) add(word);
    std::for_each(words_.begin() + offsets_[at], words_.begin() + offsets_[at + 1], add);
  }
  for (int64_t word = first_; word < vocabularies_.target_words && count % kMultiple != 0; ++word) {
    add(static_cast<int32_t>(word));
  }
  std::for_each(more.begin(), more.end(), add);
  std::vector<int32_t> words;
  words.reserve(count);
  for (size_t i = 0; i < is_in.size(); ++i) {
    for (uint64_t left = is_in[i]; left != 0; left &= left - 1) {
      words.push_back(static_cast<int32_t>(i) * kBits + std::countr_zero(left));
    }
  }
  return words;
}

}  // namespace dragoman::engine
