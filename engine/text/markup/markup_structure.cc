#include "engine/text/markup/markup_structure.h"

#include "engine/base/utf8.h"
#include "engine/text/placeholders.h"

namespace dragoman::engine {
namespace {

// The most bytes of a stand-in, so that it fits a segment's 128 constraint tokens, and of what it
// stands for, because a translation may repeat it.
constexpr size_t kMostText = 100;
constexpr int64_t kMostBytes = 1024;

}  // namespace

bool AddStandIn(std::string_view document, TextRange range, std::string_view content,
                MarkupStructure* structure) {
  if (content.size() + 2 > kMostText || range.size() > kMostBytes) return false;
  std::string text = "`";
  bool after_space = true;
  for (size_t at = 0; at < content.size();) {
    const size_t begin = at;
    const bool is_space = IsWhiteSpace(NextCodePoint(content, at));
    if (!is_space) {
      if (after_space && text.size() > 1) text += '-';
      text += content.substr(begin, at - begin);
    }
    after_space = is_space;
  }
  text += '`';
  const std::vector<TextRange> found = FindPlaceholders(text);
  if (found.size() != 1 || found[0] != TextRange::Of(text, text)) return false;
  const std::string_view bytes = range.In(document);
  const auto [kept, is_new] = structure->kept.try_emplace(std::move(text), bytes);
  if (!is_new && kept->second != bytes) return false;
  MarkupNode& node = structure->nodes.emplace_back();
  node.range = range;
  node.stand_in = &kept->first;
  return true;
}

}  // namespace dragoman::engine
