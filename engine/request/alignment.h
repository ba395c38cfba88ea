// Turns the source positions of target tokens (cross-attention) into byte ranges of both texts.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/request/target_text.h"
#include "engine/text/html/html.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// Returns SegmentPlan::source_places for the encoding of a segment's text.
std::vector<std::optional<TextRange>> SourcePlaces(std::string_view segment,
                                                   const EncodedText& encoded);

// Returns the target tokens that have text, with their places in translation and source. `aligned`
// has a source position for each token. A verbatim text is aligned with the phrase that it copies.
std::vector<AlignedToken> AlignTokens(const WrittenText& written, std::span<const int32_t> aligned,
                                      std::span<const std::optional<TextRange>> source_places);

}  // namespace dragoman::engine
