// Input: a byte that seeds the alignment and selects HTML or Markdown, and a document. For any
// markup, the runs must be valid texts, and any translation of them must rebuild to valid UTF-8
// whose size is within the limits.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/text/markup/markup.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using dragoman::engine::TextRange;

// Makes a segment in which every character is a token that is aligned to a random character or to
// none.
dragoman::engine::MarkupSegment RandomSegment(const std::string& text, TextRange source,
                                              std::minstd_rand& random) {
  dragoman::engine::MarkupSegment segment;
  segment.source = source;
  segment.target = source.In(text);
  for (size_t at = 0; at < segment.target.size();) {
    const auto begin = static_cast<int64_t>(at);
    dragoman::engine::NextCodePoint(segment.target, at);
    dragoman::engine::AlignedToken token{{begin, static_cast<int64_t>(at)}, std::nullopt};
    if (random() % 4 != 0) {
      const auto place = static_cast<int64_t>(random() % segment.target.size());
      token.source = TextRange{place, static_cast<int64_t>(segment.target.size())};
    }
    segment.tokens.push_back(token);
  }
  return segment;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::minstd_rand random(1U + data[0]);
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (const auto bad = dragoman::engine::FirstInvalidUtf8(bytes)) {
    bytes = bytes.substr(0, static_cast<size_t>(*bad));
  }
  using dragoman::engine::TextFormat;
  const TextFormat format = data[0] % 4 < 2 ? TextFormat::kHtml : TextFormat::kMarkdown;
  const auto document = dragoman::engine::MarkupDocument::Parse(bytes, format, data[0] % 8 < 4);
  if (!document.ok()) return 0;
  const auto input_size = static_cast<int64_t>(bytes.size());
  std::vector<std::vector<dragoman::engine::MarkupSegment>> segments;
  size_t text_size = 0;
  for (int64_t run = 0; run < document->runs(); ++run) {
    const std::string& text = document->text(run);
    const auto text_end = static_cast<int64_t>(text.size());
    dragoman::FuzzCheck(!text.empty() && dragoman::engine::StripWhiteSpace(text) == text);
    dragoman::FuzzCheck(!dragoman::engine::FirstInvalidUtf8(text).has_value());
    const TextRange range = document->InDocument(run, {0, text_end});
    dragoman::FuzzCheck(range.begin >= 0 && range.begin < range.end && range.end <= input_size);
    text_size += text.size();
    // Makes two segments with a gap between them if the text is long enough, else one.
    size_t middle = text.size() / 2;
    while (middle > 0 && (static_cast<unsigned char>(text[middle]) & 0xC0) == 0x80) --middle;
    size_t after = middle;
    if (middle > 0) dragoman::engine::NextCodePoint(text, after);
    auto& cut = segments.emplace_back();
    if (middle > 0) {
      cut.push_back(RandomSegment(text, {0, static_cast<int64_t>(middle)}, random));
    }
    cut.push_back(RandomSegment(text, {static_cast<int64_t>(after), text_end}, random));
  }
  const dragoman::engine::RebuiltMarkup rebuilt = document->Rebuild(segments, data[0] % 2 == 0);
  dragoman::FuzzCheck(!dragoman::engine::FirstInvalidUtf8(rebuilt.document).has_value());
  // Each tag occurs at most once more than in the source, plus the tags that may be repeated, plus
  // the escaped text. An element that overlaps others is reopened at the end of each of them.
  const auto limit = 130 * input_size + dragoman::engine::MaxRepeatedTagBytes(input_size) +
                     8 * static_cast<int64_t>(text_size);
  dragoman::FuzzCheck(static_cast<int64_t>(rebuilt.document.size()) <= limit);
  dragoman::FuzzCheck(rebuilt.segments.size() == segments.size());
  for (size_t run = 0; run < segments.size(); ++run) {
    dragoman::FuzzCheck(rebuilt.segments[run].size() == segments[run].size());
    int64_t at = 0;
    for (const auto& segment : rebuilt.segments[run]) {
      dragoman::FuzzCheck(segment.range.begin >= at && segment.range.end >= segment.range.begin);
      at = segment.range.end;
    }
    dragoman::FuzzCheck(at <= static_cast<int64_t>(rebuilt.document.size()));
  }
  return 0;
}
