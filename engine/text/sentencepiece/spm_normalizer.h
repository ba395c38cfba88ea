// SentencePiece's text normalisation: replacement rules (mostly NFKC) compiled into a double array,
// and the treatment of white space.
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
#include "engine/text/normalized_text.h"
#include "engine/text/sentencepiece/piece_trie.h"
#include "engine/text/sentencepiece/spm_file.h"

namespace dragoman::engine {

// SentencePiece's "precompiled charsmap": the rules, compiled.
class Charsmap {
 public:
  struct Rule {
    std::string_view output;
    size_t consumed = 0;
  };

  Charsmap() = default;  // no rules

  // INVALID_ARGUMENT naming `name` for bytes that are not a charsmap. None: no rules.
  static absl::StatusOr<Charsmap> Parse(std::string_view bytes, std::string_view name);

  // The longest rule for a beginning of `input`, as SentencePiece takes it ...
  std::optional<Rule> Longest(std::string_view input) const { return Find(input, false); }
  // ... and the shortest, as the tokenizers library does.
  std::optional<Rule> Shortest(std::string_view input) const { return Find(input, true); }

 private:
  std::optional<Rule> Find(std::string_view input, bool first) const;

  std::vector<uint32_t> units_;  // the double array (darts-clone)
  std::string outputs_;          // NUL-terminated strings, indexed by the array's values
};

// U+2581, which stands for a space inside pieces.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

// Every space mark becomes a space.
void ReplaceSpaceMarks(std::string& text);

class SpmNormalizer {
 public:
  // `user_defined` are the pieces that pass unchanged. INVALID_ARGUMENT naming `name` when the
  // charsmap cannot be used.
  static absl::StatusOr<SpmNormalizer> Create(const SpmNormalizerSpec& spec, bool space_as_suffix,
                                              PieceTrie user_defined, std::string_view name);

  // Linear in the size of `input`. Without `word_start` the input gets no space of its own before
  // it (or after it), whatever the model says. REQUIRES: input.size() < 2^31.
  NormalizedText Normalize(std::string_view input, bool word_start = true) const;

 private:
  struct Step {
    std::string_view output;
    size_t consumed = 0;
  };
  // Normalises the beginning of `input`. REQUIRES: not empty.
  Step NormalizePrefix(std::string_view input) const;

  bool add_dummy_prefix_ = true;
  bool remove_extra_whitespaces_ = true;
  bool escape_whitespaces_ = true;
  bool space_as_suffix_ = false;
  Charsmap charsmap_;
  PieceTrie user_defined_;
};

}  // namespace dragoman::engine
