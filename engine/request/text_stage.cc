#include "engine/request/text_stage.h"

#include <algorithm>
#include <utility>

#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

Segmentation ModeOf(SplitMode split, bool one_segment) {
  switch (split) {
    case SplitMode::kNone:
      return Segmentation::kNone;
    case SplitMode::kLines:
      return Segmentation::kLines;
    case SplitMode::kSentences:
      return Segmentation::kSentences;
    case SplitMode::kUnset:
      break;
  }
  return one_segment ? Segmentation::kNone : Segmentation::kSentences;
}

// Extends each piece over the ranges of `whole` that overlap it, and returns the result. Extended
// pieces that overlap become one piece.
std::vector<TextRange> JoinAcross(std::span<const TextRange> pieces,
                                  std::span<const TextRange> whole) {
  std::vector<TextRange> joined;
  for (TextRange piece : pieces) {
    while (!whole.empty() && whole.front().end <= piece.begin) whole = whole.subspan(1);
    for (const TextRange& range : whole) {
      if (range.begin >= piece.end) break;
      piece = {std::min(piece.begin, range.begin), std::max(piece.end, range.end)};
    }
    if (!joined.empty() && piece.begin < joined.back().end) {
      joined.back().end = std::max(joined.back().end, piece.end);
    } else {
      joined.push_back(piece);
    }
  }
  return joined;
}

}  // namespace

absl::StatusOr<const SentenceSplitter*> TextStage::SplitterFor(const std::string& source_language) {
  // The map's key is the language that LanguageOf returns, not the tag. A model for any source
  // language accepts every tag, so with tags as keys, clients could make the map grow without
  // limit.
  {
    MutexLock lock(&mu_);
    if (last_splitter_ != nullptr && last_tag_ == source_language) return last_splitter_;
  }
  const std::string language = SentenceSplitter::LanguageOf(source_language);
  MutexLock lock(&mu_);
  std::unique_ptr<SentenceSplitter>& splitter = splitters_[language];
  if (splitter == nullptr) {
    absl::StatusOr<std::unique_ptr<SentenceSplitter>> made = SentenceSplitter::Create(language);
    if (!made.ok()) return made.status();
    splitter = std::move(*made);
  }
  last_tag_ = source_language;
  last_splitter_ = splitter.get();
  return last_splitter_;
}

EncodedText TextStage::Encode(std::string_view piece, const Request& request) const {
  EncodedText encoded = tokenizer_->EncodeSource(piece, request.tags);
  PutBefore(request.prompt, &encoded);
  return encoded;
}

absl::StatusOr<std::vector<EncodedPiece>> TextStage::Cut(std::string_view text,
                                                         const Request& request, bool one_segment,
                                                         std::span<const TextRange> whole,
                                                         const EncodeFunction& encode) {
  const absl::StatusOr<const SentenceSplitter*> splitter = SplitterFor(request.source_language);
  if (!splitter.ok()) return splitter.status();
  std::vector<TextRange> ranges = (*splitter)->Split(text, ModeOf(request.split, one_segment));
  const std::string_view stripped = StripWhiteSpace(text);
  if (ranges.empty() && request.without_letters && !stripped.empty()) {
    ranges = {TextRange::Of(stripped, text)};
  }
  if (!whole.empty()) ranges = JoinAcross(ranges, whole);
  std::vector<EncodedPiece> pieces;
  for (const TextRange& range : ranges) {
    EncodedText encoded = encode(range.In(text));
    if (encoded.text_begin == encoded.text_end) continue;
    if (encoded.ids.size() <= static_cast<size_t>(max_source_tokens_)) {
      pieces.push_back({.range = range, .encoded = std::move(encoded)});
      continue;
    }
    if (request.on_too_long == OnTooLong::kReject) {
      return TooLongError(static_cast<int64_t>(encoded.ids.size()), max_source_tokens_);
    }
    absl::StatusOr<std::vector<EncodedPiece>> parts =
        SplitTooLong(text, range, std::move(encoded), max_source_tokens_, encode);
    if (!parts.ok()) return parts.status();
    for (EncodedPiece& part : *parts) {
      if (part.encoded.text_begin == part.encoded.text_end) continue;
      part.cut = true;
      pieces.push_back(std::move(part));
    }
  }
  return pieces;
}

}  // namespace dragoman::engine
