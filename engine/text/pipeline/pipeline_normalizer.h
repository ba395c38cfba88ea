// The steps by which Hugging Face's tokenizers library changes a text before it is cut, and where in
// the text each byte comes from. They are not SentencePiece's: rules are looked up for one grapheme
// at a time, the shortest that fits its beginning stands for all of it, and graphemes of more than
// five bytes are changed character by character (normalizers/precompiled.rs, 0.22).
//
// Thread-safety: const after Create. Units: bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/sentencepiece/spm_normalizer.h"

namespace dragoman::engine {

// A step of a tokenizer.json's `normalizer`.
struct NormalizerStep {
  enum Kind {
    kCharsmap,  // Precompiled
    kStrip,     // white space at the ends
    kReplace,   // a string
    kRuns,      // runs of two spaces and more: Replace with the pattern " {2,}"
    kNfkc,      // Unicode's normalization form KC
  };
  Kind kind = kCharsmap;
  std::string charsmap;
  bool left = false;  // of kStrip
  bool right = false;
  std::string pattern;  // of kReplace; not empty
  std::string content;  // of kReplace and kRuns
};

class PipelineNormalizer {
 public:
  // INVALID_ARGUMENT naming `name` for a charsmap that cannot be used.
  static absl::StatusOr<PipelineNormalizer> Create(std::vector<NormalizerStep> steps,
                                                   std::string_view name);

  // REQUIRES: `text` is valid UTF-8, of less than 2^31 bytes.
  NormalizedText Normalize(std::string_view text) const;

 private:
  PipelineNormalizer() = default;

  std::vector<NormalizerStep> steps_;
  std::vector<Charsmap> charsmaps_;  // by step
};

}  // namespace dragoman::engine
