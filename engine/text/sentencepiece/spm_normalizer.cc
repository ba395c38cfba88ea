#include "engine/text/sentencepiece/spm_normalizer.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

// The following functions read a 32-bit unit of darts-clone's double array. Bit 31 says that the
// unit is a value. Else bits 0-7 are the label, bit 8 says that the node has a value, and bits
// 10-30 are the offset, which is shifted left by 8 if bit 9 is set.
bool HasValue(uint32_t unit) { return ((unit >> 8) & 1) != 0; }
uint32_t Label(uint32_t unit) { return unit & 0x800000FFU; }
uint32_t Offset(uint32_t unit) { return (unit >> 10) << ((unit & 0x200U) >> 6); }
uint32_t Value(uint32_t unit) { return unit & 0x7FFFFFFFU; }

bool ConsumePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

absl::StatusOr<Charsmap> Charsmap::Parse(std::string_view map, std::string_view name) {
  Charsmap result;
  if (map.empty()) return result;

  // Layout: the array's size in bytes (uint32, little endian), the array, the strings.
  const auto bad = [&](std::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(name), ": precompiled_charsmap ", std::string(what)));
  };
  if (map.size() < 4) return bad(absl::StrCat("has ", map.size(), " bytes, expected at least 4"));
  const auto word = [&map](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) {
      value |= static_cast<uint32_t>(static_cast<unsigned char>(map[at + i])) << (8 * i);
    }
    return value;
  };
  const size_t array_bytes = word(0);
  if (array_bytes > map.size() - 4 || array_bytes % 4 != 0 || array_bytes == 0) {
    return bad(absl::StrCat("says that its array has ", array_bytes, " bytes, expected 4 to ",
                            map.size() - 4, " in steps of 4"));
  }
  result.units_.resize(array_bytes / 4);
  for (size_t i = 0; i < result.units_.size(); ++i) result.units_[i] = word(4 + 4 * i);
  result.outputs_.assign(map.substr(4 + array_bytes));
  if (FirstInvalidUtf8(result.outputs_)) return bad("has replacements that are not UTF-8");
  return result;
}

// Checks every index, because the array comes from a file that may be invalid.
std::optional<Charsmap::Rule> Charsmap::Find(std::string_view input, bool first) const {
  if (units_.empty()) return std::nullopt;
  size_t consumed = 0;
  uint32_t value = 0;
  uint32_t node = Offset(units_[0]);
  for (size_t i = 0; i < input.size() && !(first && consumed > 0); ++i) {
    const auto byte = static_cast<unsigned char>(input[i]);
    node ^= byte;
    if (node >= units_.size()) break;
    const uint32_t unit = units_[node];
    if (Label(unit) != byte) break;
    node ^= Offset(unit);
    if (node >= units_.size()) break;
    if (HasValue(unit)) {
      consumed = i + 1;
      value = Value(units_[node]);
    }
  }
  const bool is_rule =
      consumed > 0 && value < outputs_.size() && CharacterBegin(outputs_, value) == value;
  if (!is_rule) return std::nullopt;
  return Rule{std::string_view(outputs_.c_str() + value), consumed};
}

void ReplaceSpaceMarks(std::string& text) {
  size_t out = 0;
  for (size_t in = 0; in < text.size();) {
    if (std::string_view(text).substr(in).starts_with(kSpaceMark)) {
      text[out++] = ' ';
      in += kSpaceMark.size();
    } else {
      text[out++] = text[in++];
    }
  }
  text.resize(out);
}

absl::StatusOr<SpmNormalizer> SpmNormalizer::Create(const SpmNormalizerSpec& spec,
                                                    bool space_as_suffix, PieceTrie user_defined,
                                                    std::string_view name) {
  SpmNormalizer result;
  result.add_dummy_prefix_ = spec.add_dummy_prefix;
  result.remove_extra_whitespaces_ = spec.remove_extra_whitespaces;
  result.escape_whitespaces_ = spec.escape_whitespaces;
  result.space_as_suffix_ = space_as_suffix;
  result.user_defined_ = std::move(user_defined);
  absl::StatusOr<Charsmap> charsmap = Charsmap::Parse(spec.charsmap, name);
  if (!charsmap.ok()) return charsmap.status();
  result.charsmap_ = *std::move(charsmap);
  return result;
}

SpmNormalizer::Step SpmNormalizer::NormalizePrefix(std::string_view input) const {
  if (!user_defined_.empty()) {
    const size_t size = user_defined_.LongestPrefix(input);
    if (size > 0) return {input.substr(0, size), size};
  }
  if (const std::optional<Charsmap::Rule> rule = charsmap_.Longest(input)) {
    return {rule->output, rule->consumed};
  }
  size_t at = 0;
  // Requests have valid UTF-8 only. Other input does no harm: an invalid byte becomes U+FFFD.
  if (NextCodePoint(input, at) == 0xFFFD && at == 1) return {"\xEF\xBF\xBD", 1};
  return {input.substr(0, at), at};
}

NormalizedText SpmNormalizer::Normalize(std::string_view input, bool word_start) const {
  const bool add_space = add_dummy_prefix_ && word_start;
  NormalizedText result;
  size_t consumed = 0;
  const auto rest = [&] { return input.substr(consumed); };
  if (remove_extra_whitespaces_) {
    while (consumed < input.size()) {
      const Step step = NormalizePrefix(rest());
      if (step.output != " ") break;
      consumed += step.consumed;
    }
  }
  if (consumed == input.size()) return result;
  result.text.reserve(input.size() + input.size() / 2 + 8);
  result.origin.reserve(result.text.capacity());
  const std::string_view space = escape_whitespaces_ ? kSpaceMark : std::string_view(" ");
  const auto append = [&](std::string_view bytes) {
    result.text += bytes;
    result.origin.insert(result.origin.end(), bytes.size(), static_cast<int32_t>(consumed));
  };

  if (!space_as_suffix_ && add_space) append(space);
  bool after_space = remove_extra_whitespaces_;
  while (consumed < input.size()) {
    const Step step = NormalizePrefix(rest());
    std::string_view output = step.output;
    while (after_space && ConsumePrefix(output, " ")) {
    }
    if (!output.empty()) {
      for (size_t i = 0; i < output.size(); ++i) {
        append(output[i] == ' ' ? space : output.substr(i, 1));
      }
      after_space = remove_extra_whitespaces_ && output.ends_with(' ');
    }
    consumed += step.consumed;
  }
  if (remove_extra_whitespaces_) {
    while (result.text.ends_with(space)) {
      const size_t size = result.text.size() - space.size();
      consumed = static_cast<size_t>(result.origin[size]);
      result.text.erase(size);
      result.origin.resize(size);
    }
  }
  if (space_as_suffix_ && add_space) append(space);
  result.origin.push_back(static_cast<int32_t>(consumed));
  return result;
}

}  // namespace dragoman::engine
