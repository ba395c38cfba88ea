// Turns the alignment of target tokens with source tokens, which comes from cross-attention, into
// byte ranges of both texts.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/request/target_text.h"
#include "engine/text/markup/markup.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// Returns SegmentPlan::source_places for a segment with the text `segment`. `encoded` is the
// encoding of this text.
std::vector<std::optional<TextRange>> SourcePlaces(std::string_view segment,
                                                   const EncodedText& encoded);

// Returns the place of each target token in the translation and of its aligned token in the source.
// Leaves out target tokens without text. `aligned` has the source position of each target token. A
// text that is copied verbatim from the source is aligned with the source phrase that it copies.
std::vector<AlignedToken> AlignTokens(const WrittenText& written, std::span<const int32_t> aligned,
                                      std::span<const std::optional<TextRange>> source_places);

}  // namespace dragoman::engine
