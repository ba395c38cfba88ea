// Changes a text by the normalizer steps of Hugging Face's tokenizers library, and records where
// each byte comes from. A compiled charsmap (spm_normalizer.h) is applied differently than in
// SentencePiece: to one grapheme at a time. The shortest rule that matches the beginning of a
// grapheme replaces the whole grapheme. In a grapheme of more than five bytes, the rules apply to
// each code point alone (normalizers/precompiled.rs, 0.22).
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
    kCharsmap,  // "Precompiled": the rules of `charsmap`
    kStrip,     // "Strip": removes white space at the ends
    kReplace,   // "Replace" of the string `pattern` by `content`
    kRuns,      // "Replace" of two or more spaces, the pattern " {2,}", by `content`
    kNfkc,      // "NFKC": Unicode's normalization form KC
  };
  Kind kind = kCharsmap;
  std::string charsmap;
  bool left = false;  // for kStrip: strip at the beginning (left), at the end (right)
  bool right = false;
  std::string pattern;  // for kReplace; not empty
  std::string content;  // for kReplace and kRuns
};

class PipelineNormalizer {
 public:
  // Returns INVALID_ARGUMENT, which names `name`, if a charsmap is invalid.
  static absl::StatusOr<PipelineNormalizer> Create(std::vector<NormalizerStep> steps,
                                                   std::string_view name);

  // REQUIRES: `text` is valid UTF-8, of less than 2^31 bytes.
  NormalizedText Normalize(std::string_view text) const;

 private:
  PipelineNormalizer() = default;

  std::vector<NormalizerStep> steps_;
  std::vector<Charsmap> charsmaps_;  // charsmaps_[i] is the charsmap of step i
};

}  // namespace dragoman::engine
