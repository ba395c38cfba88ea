// A segment's rules as one block of 32-bit words, to be copied to where the search runs.
//
// Written by the host, read in place: RulesFrom makes views into the words. No pointer is stored,
// so an image may lie anywhere that is aligned to 4 bytes.
#pragma once

#include <cstdint>

#include "kernels/decide/host_device.h"
#include "kernels/decide/slot.h"

namespace dragoman {

// Words of the image of these rules, for a segment of up to max_tokens.
int64_t RulesImageWords(const SegmentRules& rules, int32_t max_tokens);

// Writes the image. words [RulesImageWords].
void WriteRulesImage(const SegmentRules& rules, int32_t max_tokens, int32_t* words);

// Views into the image at `words`.
DRAGOMAN_HD SegmentRules RulesFrom(const int32_t* words);

}  // namespace dragoman
