#include "engine/request/alignment.h"

#include "engine/base/utf8.h"

namespace dragoman::engine {

std::vector<std::optional<TextRange>> SourcePlaces(std::string_view segment,
                                                   const EncodedText& encoded) {
  std::vector<std::optional<TextRange>> places(encoded.ranges.size());
  std::optional<TextRange> next;
  for (size_t i = encoded.text_end; i-- > encoded.text_begin;) {
    const std::string_view own = encoded.ranges[i].In(segment);
    const std::string_view visible = StripWhiteSpace(own);
    if (!visible.empty()) {
      const int64_t begin = visible.data() - segment.data();
      next = TextRange{begin, begin + static_cast<int64_t>(visible.size())};
    }
    places[i] = next;
  }
  return places;
}

std::vector<AlignedToken> AlignTokens(const WrittenText& written, std::span<const int32_t> aligned,
                                      std::span<const std::optional<TextRange>> source_places) {
  std::vector<AlignedToken> tokens;
  auto verbatim = written.verbatim.begin();
  for (size_t i = 0; i < written.decoded.ranges.size(); ++i) {
    const TextRange& range = written.decoded.ranges[i];
    AlignedToken token{range, std::nullopt};
    if (verbatim != written.verbatim.end() && verbatim->first == i) {
      token.source = verbatim->second;
      ++verbatim;
    } else if (i < aligned.size() && static_cast<size_t>(aligned[i]) < source_places.size()) {
      token.source = source_places[static_cast<size_t>(aligned[i])];
    }
    if (range.size() > 0) tokens.push_back(token);
  }
  return tokens;
}

}  // namespace dragoman::engine
