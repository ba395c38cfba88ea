#include "engine/text_stage.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/text/too_long.h"

namespace dragoman {
namespace {

Segmentation ModeOf(const TextStage::Request& request) {
  switch (request.split) {
    case SplitMode::kNone:
      return Segmentation::kNone;
    case SplitMode::kLines:
      return Segmentation::kLines;
    case SplitMode::kSentences:
      return Segmentation::kSentences;
    case SplitMode::kUnset:
      break;
  }
  return request.one_segment ? Segmentation::kNone : Segmentation::kSentences;
}

}  // namespace

absl::StatusOr<const SentenceSplitter*> TextStage::SplitterFor(const std::string& language) {
  MutexLock lock(&mu_);
  std::unique_ptr<SentenceSplitter>& splitter = splitters_[language];
  if (splitter == nullptr) {
    absl::StatusOr<std::unique_ptr<SentenceSplitter>> made = SentenceSplitter::Create(language);
    if (!made.ok()) return made.status();
    splitter = std::move(*made);
  }
  return splitter.get();
}

ItemPlan TextStage::Plan(std::string_view text, const Request& request) {
  ItemPlan plan;
  plan.status = Cut(text, request, plan);
  if (!plan.status.ok()) {
    plan.pieces.clear();
    plan.tokens.clear();
  }
  return plan;
}

absl::Status TextStage::Cut(std::string_view text, const Request& request, ItemPlan& plan) {
  const absl::StatusOr<const SentenceSplitter*> splitter = SplitterFor(request.source_language);
  if (!splitter.ok()) return splitter.status();
  const EncodeFunction encode = [&](std::string_view piece) {
    return tokenizer_->EncodeSource(piece, request.tag);
  };
  const size_t special = request.tag.has_value() ? 2 : 1;
  for (const TextRange& piece : (*splitter)->Split(text, ModeOf(request))) {
    EncodedText encoded = encode(piece.In(text));
    // Nothing that the model would see (control characters, say): passed through as it is.
    if (encoded.ids.size() <= special) continue;
    if (encoded.ids.size() <= static_cast<size_t>(max_source_tokens_)) {
      plan.pieces.push_back(piece);
      plan.tokens.push_back(std::move(encoded.ids));
      continue;
    }
    if (request.on_too_long == OnTooLong::kReject) {
      return TooLongError(static_cast<int64_t>(encoded.ids.size()), max_source_tokens_);
    }
    absl::StatusOr<std::vector<EncodedPiece>> parts =
        SplitTooLong(text, piece, std::move(encoded), max_source_tokens_, encode);
    if (!parts.ok()) return parts.status();
    for (EncodedPiece& part : *parts) {
      if (part.encoded.ids.size() <= special) continue;
      plan.pieces.push_back(part.range);
      plan.tokens.push_back(std::move(part.encoded.ids));
    }
  }
  if (request.one_segment && plan.pieces.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("decoding.num_alternatives above 1 needs an item of one segment, found ",
                     plan.pieces.size(), ": shorten the text or set segmentation.split to NONE"));
  }
  return absl::OkStatus();
}

}  // namespace dragoman
