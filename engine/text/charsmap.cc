#include "engine/text/charsmap.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"

namespace dragoman {
namespace {

// A unit of darts-clone's double array: bit 31 marks a value, bits 0-7 are the label, bit 8 says
// that a value follows, bits 10-30 are the offset, shifted by 8 more when bit 9 is set.
bool HasValue(uint32_t unit) { return ((unit >> 8) & 1) != 0; }
uint32_t Label(uint32_t unit) { return unit & 0x800000FFU; }
uint32_t Offset(uint32_t unit) { return (unit >> 10) << ((unit & 0x200U) >> 6); }
uint32_t Value(uint32_t unit) { return unit & 0x7FFFFFFFU; }

}  // namespace

absl::StatusOr<Charsmap> Charsmap::Parse(std::string_view map, std::string_view name) {
  Charsmap result;
  if (map.empty()) return result;

  // <size of the array in bytes: uint32, little endian><array><strings>
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

// Every index is checked: the array is from a file.
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
  const bool is_rule = consumed > 0 && value < outputs_.size() &&
                       (static_cast<unsigned char>(outputs_[value]) & 0xC0) != 0x80;
  if (!is_rule) return std::nullopt;
  return Rule{std::string_view(outputs_.c_str() + value), consumed};
}

}  // namespace dragoman
