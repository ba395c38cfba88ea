#include "server/api/short_tag.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/api/absl_view.h"
#include "server/api/known_codes.h"
#include "server/api/languages.h"

namespace dragoman {
namespace {

constexpr size_t kScriptLetters = 4;

std::string MakeShortTag(std::string_view code) {
  const std::string tag = NormalTag(code);
  const std::vector<std::string> parts = absl::StrSplit(tag, '-');
  if (parts.size() < 2 || parts[1].size() != kScriptLetters) return tag;
  std::string without = parts[0];
  for (size_t i = 2; i < parts.size(); ++i) absl::StrAppend(&without, "-", parts[i]);
  return FindLanguage(tag, {without}).has_value() ? without : tag;
}

}  // namespace

std::string ShortTag(std::string_view code) {
  if (code.size() == 2) return absl::AsciiStrToLower(View(code));
  static auto* const known = new KnownCodes();
  return known->Get(code, MakeShortTag);
}

}  // namespace dragoman
