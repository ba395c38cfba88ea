#include "engine/text/pipeline/byte_bpe.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {
namespace {

// Reports whether the byte is printable in Latin-1. Such a byte becomes the character with the same
// number. The other bytes become U+0100 and the following characters.
bool IsPrintable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct ByteAlphabet {
  std::array<char32_t, 256> character = {};
  std::unordered_map<char32_t, unsigned char> byte;
};

const ByteAlphabet& Alphabet() {
  static const ByteAlphabet& alphabet = *[] {
    auto* made = new ByteAlphabet;
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const char32_t c = IsPrintable(byte) ? static_cast<char32_t>(byte) : next++;
      made->character[static_cast<size_t>(byte)] = c;
      made->byte.emplace(c, static_cast<unsigned char>(byte));
    }
    return made;
  }();
  return alphabet;
}

enum class Kind { kSpace, kLetter, kNumber, kOther };

Kind KindOf(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  const uint32_t mask = U_MASK(u_charType(code));
  if ((mask & U_GC_L_MASK) != 0) return Kind::kLetter;
  if ((mask & U_GC_N_MASK) != 0) return Kind::kNumber;
  return u_isUWhiteSpace(code) != 0 ? Kind::kSpace : Kind::kOther;
}

// Returns where the run of characters of `kind` that begins at `at` ends.
size_t RunEnd(std::string_view text, size_t at, Kind kind) {
  while (at < text.size()) {
    size_t next = at;
    if (KindOf(NextCodePoint(text, next)) != kind) break;
    at = next;
  }
  return at;
}

size_t WordEnd(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  for (const std::string_view suffix : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (rest.starts_with(suffix)) return at + suffix.size();
  }
  size_t begin = at;
  if (rest.front() == ' ' && rest.size() > 1) ++begin;
  const Kind kind = KindOf(CodePointAt(text, begin));
  if (kind != Kind::kSpace) return RunEnd(text, begin, kind);
  // White space before a word ends one character earlier, because its last character belongs to the
  // next word. This does not apply if the white space is only one character.
  const size_t end = RunEnd(text, at, Kind::kSpace);
  if (end == text.size()) return end;
  const size_t last = CharacterBegin(text, end - 1);
  return last > at ? last : end;
}

// Returns the number of bytes at `at` that are the beginning of an incomplete character, or 1 if
// the byte at `at` cannot begin a character. Unicode recommends to replace these bytes by one
// U+FFFD.
size_t BrokenSize(std::string_view bytes, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(at);
  size_t more = 0;
  if (lead >= 0xC2 && lead <= 0xDF) more = 1;
  if (lead >= 0xE0 && lead <= 0xEF) more = 2;
  if (lead >= 0xF0 && lead <= 0xF4) more = 3;
  size_t size = 1;
  for (; size <= more && at + size < bytes.size(); ++size) {
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (size == 1 && lead == 0xE0) low = 0xA0;
    if (size == 1 && lead == 0xED) high = 0x9F;
    if (size == 1 && lead == 0xF0) low = 0x90;
    if (size == 1 && lead == 0xF4) high = 0x8F;
    if (byte(at + size) < low || byte(at + size) > high) break;
  }
  return size;
}

// Returns the ids by piece. The keys are views into `pieces`.
std::unordered_map<std::string_view, int32_t> IdsOf(const std::vector<std::string>& pieces) {
  std::unordered_map<std::string_view, int32_t> ids;
  for (size_t id = 0; id < pieces.size(); ++id) {
    if (!pieces[id].empty()) ids.emplace(pieces[id], static_cast<int32_t>(id));
  }
  return ids;
}

}  // namespace

std::vector<size_t> ByteBpeWordEnds(std::string_view text) {
  std::vector<size_t> ends;
  for (size_t at = 0; at < text.size();) ends.push_back(at = WordEnd(text, at));
  return ends;
}

absl::StatusOr<std::unique_ptr<ByteBpe>> ByteBpe::Create(std::vector<std::string> pieces,
                                                         std::span<const BpeMerge> merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before) {
  std::unique_ptr<ByteBpe> made(new ByteBpe);
  made->pieces_ = std::move(pieces);
  made->merges_ = BpeMerges(merges);
  made->space_before_ = space_before;
  const std::unordered_map<std::string_view, int32_t> ids = IdsOf(made->pieces_);
  for (size_t byte = 0; byte < 256; ++byte) {
    std::string character;
    AppendUtf8(Alphabet().character[byte], character);
    const auto found = ids.find(character);
    if (found == ids.end()) {
      return absl::UnimplementedError(
          absl::StrCat(std::string(name), ": no piece '", character, "', which stands for byte ",
                       byte, "; supported: vocabularies with a piece for every byte"));
    }
    made->ids_of_bytes_[byte] = found->second;
  }
  return made;
}

absl::StatusOr<std::unique_ptr<ByteBpe>> ByteBpe::Create(std::vector<std::string> pieces,
                                                         std::string_view merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before) {
  const std::unordered_map<std::string_view, int32_t> ids = IdsOf(pieces);
  std::vector<BpeMerge> list;
  size_t line_number = 0;
  while (!merges.empty()) {
    const size_t end = std::min(merges.find('\n'), merges.size());
    std::string_view line = merges.substr(0, end);
    merges.remove_prefix(std::min(end + 1, merges.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    // The first line may be a comment with the version.
    if (++line_number == 1 && line.starts_with("#version")) continue;
    if (line.empty()) continue;
    const size_t space = line.find(' ');
    const std::string_view left = line.substr(0, std::min(space, line.size()));
    const std::string_view right =
        space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    const auto l = ids.find(left);
    const auto r = ids.find(right);
    const auto both = ids.find(std::string(left) + std::string(right));
    if (l == ids.end() || r == ids.end() || both == ids.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(name), ": line ", line_number, " is '", std::string(line.substr(0, 64)),
          "', expected two pieces of the vocabulary that make a third"));
    }
    list.push_back({l->second, r->second, both->second});
  }
  return Create(std::move(pieces), list, name, space_before);
}

NormalizedText ByteBpe::Prepare(std::string_view text, TextStart start) const {
  NormalizedText prepared = Unchanged(text);
  if (text.empty() || text.starts_with(' ')) return prepared;
  // Like BartTokenizer, add no space before white space.
  const bool wants_space =
      start == TextStart::kWord ||
      (start == TextStart::kBegin && space_before_ == kText && !IsWhiteSpace(CodePointAt(text, 0)));
  if (!wants_space) return prepared;
  // The added space has the position 0, so that its range is empty.
  prepared.text.insert(prepared.text.begin(), ' ');
  prepared.origin.insert(prepared.origin.begin(), 0);
  return prepared;
}

std::vector<SubwordToken> ByteBpe::Cut(std::string_view part, TextStart start) const {
  const bool adds_space = space_before_ == kParts && start != TextStart::kInside && !part.empty() &&
                          !part.starts_with(' ');
  const std::string with_space = adds_space ? std::string(" ").append(part) : std::string();
  const std::string_view all = adds_space ? std::string_view(with_space) : part;
  const auto place = [&](int32_t at) {
    const size_t begin = CharacterBegin(all, static_cast<size_t>(at));
    return static_cast<int64_t>(adds_space && begin > 0 ? begin - 1 : begin);
  };
  std::vector<SubwordToken> tokens;
  std::vector<PieceSpan> symbols;
  size_t begin = 0;
  for (const size_t end : ByteBpeWordEnds(all)) {
    symbols.clear();
    for (size_t at = begin; at < end; ++at) {
      symbols.push_back({ids_of_bytes_[static_cast<unsigned char>(all[at])],
                         static_cast<int32_t>(at), static_cast<int32_t>(at + 1)});
    }
    merges_.Apply(&symbols);
    for (const PieceSpan& symbol : symbols) {
      tokens.push_back(
          {pieces_[static_cast<size_t>(symbol.id)], {place(symbol.begin), place(symbol.end)}});
    }
    begin = end;
  }
  return tokens;
}

PieceText ByteBpe::Decode(std::span<const std::string_view> pieces, bool, bool is_prefix) const {
  PieceText joined;
  joined.ranges.resize(pieces.size());
  std::string bytes;
  std::vector<size_t> ends;  // ends[i]: the end in `bytes` of the bytes of pieces[i]
  for (const std::string_view piece : pieces) {
    // A piece with a character that stands for no byte is written as it is, such as an added token
    // with a space.
    std::string own;
    for (size_t at = 0; at < piece.size();) {
      const auto found = Alphabet().byte.find(NextCodePoint(piece, at));
      if (found == Alphabet().byte.end()) {
        own = piece;
        break;
      }
      own += static_cast<char>(found->second);
    }
    bytes += own;
    ends.push_back(bytes.size());
  }
  if (is_prefix) bytes.resize(bytes.size() - static_cast<size_t>(IncompleteUtf8Tail(bytes)));
  // The range of a character belongs to the piece that has its last byte.
  size_t owner = 0;
  const auto begin_at = [&](size_t piece) {
    if (piece < pieces.size()) {
      joined.ranges[piece].begin = joined.ranges[piece].end =
          static_cast<int64_t>(joined.text.size());
    }
  };
  for (size_t at = 0; at < bytes.size();) {
    const size_t begin = at;
    const bool wrong = NextCodePoint(bytes, at) == 0xFFFD && at - begin == 1;
    if (wrong) at = begin + BrokenSize(bytes, begin);
    while (ends[owner] < at) begin_at(++owner);
    joined.text += wrong ? std::string_view("\xEF\xBF\xBD")
                         : std::string_view(bytes).substr(begin, at - begin);
    joined.ranges[owner].end = static_cast<int64_t>(joined.text.size());
  }
  while (owner < pieces.size()) begin_at(++owner);
  return joined;
}

}  // namespace dragoman::engine
