#include "engine/text/terms/term_index.h"

#include <unicode/brkiter.h>
#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/edits.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "engine/text/script.h"

namespace dragoman::engine {
namespace {

// ICU's iterator for word boundaries. It has no text and is cloned for each TermText. `status` is
// an error if ICU has no rules.
struct WordRules {
  std::unique_ptr<icu::BreakIterator> iterator;
  UErrorCode status = U_ZERO_ERROR;
};

const WordRules& Rules() {
  static const WordRules* const rules = [] {
    auto* made = new WordRules;
    made->iterator.reset(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), made->status));
    if (U_SUCCESS(made->status) && made->iterator == nullptr) {
      made->status = U_MEMORY_ALLOCATION_ERROR;
    }
    return made;
  }();
  return *rules;
}

void Fold(std::string_view text, std::string& folded, icu::Edits* edits) {
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&folded, static_cast<int32_t>(text.size()));
  icu::CaseMap::utf8Fold(U_FOLD_CASE_DEFAULT,
                         icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink,
                         edits, status);
}

// Reports whether UAX 29 never puts a boundary before the character (rule WB4).
bool ExtendsWord(char32_t c) {
  const int32_t kind = u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_WORD_BREAK);
  return kind == U_WB_EXTEND || kind == U_WB_FORMAT || kind == U_WB_ZWJ;
}

// Reports whether UAX 29 puts a boundary between two letters of scripts without spaces. ICU's
// iterator cannot tell, because it uses a dictionary for these scripts.
bool PartedWithoutDictionary(char32_t before, char32_t after) {
  if (!IsUnspacedScript(before) || !IsUnspacedScript(after) || ExtendsWord(after)) return false;
  const auto is_katakana = [](char32_t c) {
    return u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_WORD_BREAK) == U_WB_KATAKANA;
  };
  return !is_katakana(before) || !is_katakana(after);
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(ends.first - a.begin());
}

}  // namespace

std::string FoldCase(std::string_view text) {
  std::string folded;
  Fold(text, folded, nullptr);
  return folded;
}

absl::Status TermText::CheckWordRules() {
  if (U_SUCCESS(Rules().status)) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("ICU has no rules for word boundaries: ", u_errorName(Rules().status)));
}

TermText::TermText(std::string_view text) : text_(text) {
  icu::Edits edits;
  Fold(text, folded_, &edits);
  at_folded_.assign(folded_.size() + 1, -1);
  const auto add = [&](int32_t begin, int32_t folded_begin) {
    at_folded_[static_cast<size_t>(folded_begin)] = static_cast<int32_t>(characters_.size());
    characters_.push_back({begin, folded_begin, false});
  };
  UErrorCode status = U_ZERO_ERROR;
  for (icu::Edits::Iterator edit = edits.getFineIterator(); edit.next(status);) {
    const int32_t begin = edit.sourceIndex();
    if (edit.hasChange()) {  // the change is of one character
      add(begin, edit.destinationIndex());
      continue;
    }
    const auto end = static_cast<size_t>(begin) + static_cast<size_t>(edit.oldLength());
    for (auto at = static_cast<size_t>(begin); at < end; NextCodePoint(text, at)) {
      add(static_cast<int32_t>(at), edit.destinationIndex() + static_cast<int32_t>(at) - begin);
    }
  }
  add(static_cast<int32_t>(text.size()), static_cast<int32_t>(folded_.size()));
  MarkBoundaries();
}

void TermText::MarkBoundaries() {
  std::unique_ptr<icu::BreakIterator> words(Rules().iterator->clone());
  UErrorCode status = U_ZERO_ERROR;
  UText utext = UTEXT_INITIALIZER;
  utext_openUTF8(&utext, text_.data(), static_cast<int64_t>(text_.size()), &status);
  words->setText(&utext, status);
  if (U_SUCCESS(status)) {  // false only if memory runs out; then the text has no matches
    size_t i = 0;
    for (int32_t at = words->first(); at != icu::BreakIterator::DONE; at = words->next()) {
      while (characters_[i].begin < at) ++i;
      characters_[i].is_boundary = characters_[i].begin == at;
    }
  }
  utext_close(&utext);
  char32_t before = 0;
  for (Character& character : characters_) {
    auto at = static_cast<size_t>(character.begin);
    if (at == text_.size()) break;
    const char32_t c = NextCodePoint(text_, at);
    if (PartedWithoutDictionary(before, c)) character.is_boundary = true;
    before = c;
  }
}

TermIndex::TermIndex(std::span<const Entry> entries) {
  std::vector<std::pair<std::string, int32_t>> order;  // folded source, entry number
  order.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    order.emplace_back(FoldCase(entries[i].source), static_cast<int32_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return entries[static_cast<size_t>(a.second)].source <
           entries[static_cast<size_t>(b.second)].source;
  });
  entries_.reserve(order.size());
  for (const auto& [folded, entry] : order) {
    const bool same = !groups_.empty() && FoldedOf(groups_.back()) == folded;
    const auto place = static_cast<int32_t>(entries_.size());
    entries_.push_back({entries[static_cast<size_t>(entry)].source, entry});
    if (!same) {
      groups_.push_back({place, place, entry, -1, static_cast<int32_t>(folded_.size()),
                         static_cast<int32_t>(folded.size())});
      folded_ += folded;
    }
    Group& group = groups_.back();
    group.end = place + 1;
    group.first = std::min(group.first, entry);
    if (entries[static_cast<size_t>(entry)].ignore_case &&
        (group.first_ignoring < 0 || entry < group.first_ignoring)) {
      group.first_ignoring = entry;
    }
  }
  std::vector<std::pair<std::string_view, int32_t>> beginnings;
  beginnings.reserve(groups_.size());
  size_t with_previous = 0;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const std::string_view folded = FoldedOf(groups_[i]);
    const size_t with_next =
        i + 1 < groups_.size() ? CommonPrefix(folded, FoldedOf(groups_[i + 1])) : 0;
    const size_t unique = std::min(folded.size(), std::max(with_previous, with_next) + 1);
    beginnings.emplace_back(folded.substr(0, unique), static_cast<int32_t>(i));
    with_previous = with_next;
  }
  trie_ = PieceTrie(std::move(beginnings));
}

std::string_view TermIndex::FoldedOf(const Group& group) const {
  return std::string_view(folded_).substr(static_cast<size_t>(group.folded_begin),
                                          static_cast<size_t>(group.folded_size));
}

std::optional<size_t> TermIndex::EntryFor(const Group& group, std::string_view bytes,
                                          bool ignore_case) const {
  const auto end = entries_.begin() + group.end;
  const auto exact =
      std::lower_bound(entries_.begin() + group.begin, end, bytes,
                       [](const Sorted& entry, std::string_view b) { return entry.source < b; });
  if (exact != end && exact->source == bytes) return static_cast<size_t>(exact->entry);
  const int32_t other = ignore_case ? group.first : group.first_ignoring;
  if (other < 0) return std::nullopt;
  return static_cast<size_t>(other);
}

std::optional<TermIndex::Match> TermIndex::LongestAt(const TermText& text, int32_t begin,
                                                     int32_t limit, bool ignore_case) const {
  const auto character = [&](int32_t i) { return text.characters()[static_cast<size_t>(i)]; };
  const auto from = static_cast<size_t>(character(begin).folded_begin);
  const auto to = static_cast<size_t>(character(limit).folded_begin);
  std::optional<Match> longest;
  int32_t node = PieceTrie::root();
  for (size_t at = from; at < to; ++at) {
    node = trie_.Next(node, text.folded()[at]);
    if (node == PieceTrie::kNone) break;
    const int32_t value = trie_.Value(node);
    if (value == PieceTrie::kNone) continue;
    // The trie has only a distinct prefix of the folded source, so the rest is compared here.
    // Sources found later in this loop are longer.
    const Group& group = groups_[static_cast<size_t>(value)];
    const std::string_view folded = FoldedOf(group);
    if (from + folded.size() > to) continue;
    if (std::string_view(text.folded()).substr(from, folded.size()) != folded) continue;
    const int32_t end = text.CharacterAt(from + folded.size());
    if (end < 0 || !character(end).is_boundary) continue;
    const TextRange range{character(begin).begin, character(end).begin};
    const std::optional<size_t> entry = EntryFor(group, range.In(text.text()), ignore_case);
    if (entry.has_value()) longest = Match{*entry, end};
  }
  return longest;
}

}  // namespace dragoman::engine
