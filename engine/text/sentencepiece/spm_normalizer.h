// SentencePiece's text normalization. It applies replacement rules (mostly NFKC), which are
// compiled into a double-array trie, and handles white space.
//
// Thread-safety: const after Create and Parse. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/sentencepiece/piece_trie.h"
#include "engine/text/sentencepiece/spm_file.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

// The compiled replacement rules, SentencePiece's "precompiled charsmap".
class Charsmap {
 public:
  struct Rule {
    std::string_view output;
    size_t consumed = 0;
  };

  Charsmap() = default;  // no rules

  // Returns INVALID_ARGUMENT, which names `name`, if `bytes` is not a charsmap. Empty bytes are a
  // charsmap without rules.
  static absl::StatusOr<Charsmap> Parse(std::string_view bytes, std::string_view name);

  // Returns the longest rule that matches a beginning of `input`, as SentencePiece does.
  std::optional<Rule> Longest(std::string_view input) const { return Find(input, false); }
  // Returns the shortest rule that matches a beginning of `input`, as the tokenizers library does.
  std::optional<Rule> Shortest(std::string_view input) const { return Find(input, true); }

 private:
  std::optional<Rule> Find(std::string_view input, bool first) const;

  std::vector<uint32_t> units_;  // the double array (darts-clone)
  std::string outputs_;          // NUL-terminated strings, indexed by the array's values
};

// U+2581 stands for a space inside pieces.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

void ReplaceSpaceMarks(std::string& text);

class SpmNormalizer {
 public:
  // `user_defined` has the pieces that normalization leaves unchanged. Returns INVALID_ARGUMENT,
  // which names `name`, if the charsmap is invalid.
  static absl::StatusOr<SpmNormalizer> Create(const SpmNormalizerSpec& spec, bool space_as_suffix,
                                              PieceTrie user_defined, std::string_view name);

  // Normalizes `input` in linear time. Without `word_start`, adds no space before or after the
  // input, even if the model's add_dummy_prefix is set. REQUIRES: input.size() < 2^31.
  NormalizedText Normalize(std::string_view input, bool word_start = true) const;

 private:
  struct Step {
    std::string_view output;
    size_t consumed = 0;
  };
  // Normalizes the beginning of `input`. REQUIRES: `input` is not empty.
  Step NormalizePrefix(std::string_view input) const;

  bool add_dummy_prefix_ = true;
  bool remove_extra_whitespaces_ = true;
  bool escape_whitespaces_ = true;
  bool space_as_suffix_ = false;
  Charsmap charsmap_;
  PieceTrie user_defined_;
};

}  // namespace dragoman::engine
