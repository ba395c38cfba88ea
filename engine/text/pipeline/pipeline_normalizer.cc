#include "engine/text/pipeline/pipeline_normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/edits.h>
#include <unicode/normalizer2.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/split/boundaries.h"

namespace dragoman::engine {
namespace {

// In a grapheme of more bytes, the rules apply to each code point alone.
constexpr size_t kMaxGraphemeBytes = 5;

// Reports whether the code point is white space in Rust.
bool IsRustWhiteSpace(char32_t c) { return IsWhiteSpace(c) && !(c >= 0x1C && c <= 0x1F); }

// Writes a text with the origins of its bytes.
class Writer {
 public:
  explicit Writer(const NormalizedText& from) : from_(from) {
    to_.text.reserve(from.text.size());
    to_.origin.reserve(from.origin.size());
  }
  // Writes `bytes`, which come from byte `at` of the input.
  void Write(std::string_view bytes, size_t at) {
    to_.text += bytes;
    to_.origin.insert(to_.origin.end(), bytes.size(), from_.origin[at]);
  }
  void Copy(size_t begin, size_t end) {
    to_.text.append(from_.text, begin, end - begin);
    to_.origin.insert(to_.origin.end(), from_.origin.begin() + static_cast<ptrdiff_t>(begin),
                      from_.origin.begin() + static_cast<ptrdiff_t>(end));
  }
  NormalizedText Finish() {
    to_.origin.push_back(from_.origin.back());
    return std::move(to_);
  }

 private:
  const NormalizedText& from_;
  NormalizedText to_;
};

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

NormalizedText ApplyCharsmap(const NormalizedText& from, const Charsmap& rules) {
  const std::string_view text = from.text;
  Writer writer(from);
  const auto write = [&](size_t begin, size_t end) {
    if (const auto rule = rules.Shortest(text.substr(begin, end - begin))) {
      writer.Write(rule->output, begin);
      return true;
    }
    return false;
  };
  const auto grapheme = [&](size_t begin, size_t end) {
    if (end - begin <= kMaxGraphemeBytes && write(begin, end)) return;
    for (size_t at = begin; at < end;) {
      const size_t character = at;
      NextCodePoint(text, at);
      if (!write(character, at)) writer.Copy(character, at);
    }
  };
  if (IsAscii(text)) {
    for (size_t at = 0; at < text.size();) {
      const size_t size = text.substr(at).starts_with("\r\n") ? 2 : 1;
      grapheme(at, at + size);
      at += size;
    }
    return writer.Finish();
  }
  Boundaries graphemes(icu::BreakIterator::createCharacterInstance, text);
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.size();
    if (graphemes.ok()) end = graphemes.Next().value_or(text.size());
    if (end <= begin) continue;
    grapheme(begin, end);
    begin = end;
  }
  return writer.Finish();
}

NormalizedText Replace(const NormalizedText& from, const NormalizerStep& step) {
  const std::string_view text = from.text;
  Writer writer(from);
  for (size_t at = 0; at < text.size();) {
    size_t size = 0;
    if (step.kind == NormalizerStep::kReplace) {
      if (text.substr(at).starts_with(step.pattern)) size = step.pattern.size();
    } else {
      const size_t end = std::min(text.find_first_not_of(' ', at), text.size());
      if (end - at >= 2) size = end - at;
    }
    if (size > 0) {
      writer.Write(step.content, at);
      at += size;
    } else {
      writer.Copy(at, at + 1);
      ++at;
    }
  }
  return writer.Finish();
}

// Returns the text unchanged if ICU fails.
NormalizedText ApplyNfkc(const NormalizedText& from) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* nfkc = icu::Normalizer2::getNFKCInstance(error);
  if (U_FAILURE(error) || IsAscii(from.text)) return from;
  std::string normal;
  icu::StringByteSink<std::string> sink(&normal);
  icu::Edits edits;
  nfkc->normalizeUTF8(0, from.text, sink, &edits, error);
  if (U_FAILURE(error)) return from;
  Writer writer(from);
  icu::Edits::Iterator edit = edits.getFineIterator();
  while (edit.next(error) && U_SUCCESS(error)) {
    const auto begin = static_cast<size_t>(edit.sourceIndex());
    if (edit.hasChange()) {
      writer.Write(std::string_view(normal).substr(static_cast<size_t>(edit.destinationIndex()),
                                                   static_cast<size_t>(edit.newLength())),
                   begin);
    } else {
      writer.Copy(begin, begin + static_cast<size_t>(edit.oldLength()));
    }
  }
  return writer.Finish();
}

}  // namespace

absl::StatusOr<PipelineNormalizer> PipelineNormalizer::Create(std::vector<NormalizerStep> steps,
                                                              std::string_view name) {
  PipelineNormalizer made;
  for (NormalizerStep& step : steps) {
    absl::StatusOr<Charsmap> charsmap = Charsmap::Parse(step.charsmap, name);
    if (!charsmap.ok()) return charsmap.status();
    made.charsmaps_.push_back(*std::move(charsmap));
    step.charsmap.clear();
  }
  made.steps_ = std::move(steps);
  return made;
}

NormalizedText PipelineNormalizer::Normalize(std::string_view text) const {
  NormalizedText normal = Unchanged(text);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const NormalizerStep& step = steps_[i];
    if (step.kind == NormalizerStep::kCharsmap) {
      normal = ApplyCharsmap(normal, charsmaps_[i]);
    } else if (step.kind == NormalizerStep::kStrip) {
      normal = Stripped(normal, step.left, step.right, IsRustWhiteSpace);
    } else if (step.kind == NormalizerStep::kNfkc) {
      normal = ApplyNfkc(normal);
    } else {
      normal = Replace(normal, step);
    }
  }
  return normal;
}

}  // namespace dragoman::engine
