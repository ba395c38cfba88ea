// SubRip (.srt) and WebVTT (.vtt).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/fragment.h"
#include "engine/documents/spliced_document.h"
#include "engine/text/html/html_entities.h"
#include "engine/text/script.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// A text has at most this many cues, and cues further apart are not joined.
constexpr size_t kMostCues = 6;
constexpr int64_t kMostGapMs = 1'500;

// A cue. Its lines have no line ends.
struct Cue {
  std::vector<TextRange> lines;
  int64_t begin_ms = 0;
  int64_t end_ms = 0;
};

// Reads "01:02:03,456" or "02:03.456" at the beginning, or returns -1.
int64_t ReadTime(string_view text) {
  int64_t parts = 0;
  int64_t value = 0;
  int64_t number = 0;
  size_t at = 0;
  size_t digits = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      if (++digits > 9) return -1;
      number = 10 * number + (c - '0');
    } else if ((c == ':' || c == ',' || c == '.') && digits > 0) {
      value = 60 * value + number;
      number = 0;
      digits = 0;
      ++parts;
      if (c != ':') break;
    } else {
      return -1;
    }
  }
  if (at == text.size() || parts < 2 || parts > 3) return -1;
  int64_t milliseconds = 0;
  for (size_t i = 0; i < 3; ++i) {
    ++at;
    const char c = at < text.size() ? text[at] : '\0';
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return i == 0 ? -1 : 1000 * value;
    milliseconds = 10 * milliseconds + (c - '0');
  }
  return 1000 * value + milliseconds;
}

// Reads a line with the times of a cue: "TIME --> TIME" and settings.
bool ReadTimes(string_view line, Cue* cue) {
  const size_t arrow = line.find("-->");
  if (arrow == string_view::npos) return false;
  cue->begin_ms = ReadTime(StripWhiteSpace(line.substr(0, arrow)));
  string_view end = StripWhiteSpace(line.substr(arrow + 3));
  end = end.substr(0, end.find_first_of(" \t"));
  cue->end_ms = ReadTime(end);
  return cue->begin_ms >= 0 && cue->end_ms >= 0;
}

bool IsNumber(string_view line) {
  line = StripWhiteSpace(line);
  return !line.empty() && line.find_first_not_of("0123456789") == string_view::npos;
}

// A word of a translation with the elements around it.
struct Word {
  std::string text;
  std::vector<int> elements;
  std::vector<int> voids;  // before the word
  bool has_space = false;  // before the word, where no line begins
};

bool EndsWithPunctuation(string_view text) {
  if (text.empty()) return false;
  size_t at = text.size();
  const char32_t last = PreviousCodePoint(text, at);
  return std::u32string_view(U".,;:!?…。、，！？；：").find(last) != std::u32string_view::npos;
}

// Reports whether a line may begin before this character of a script without spaces.
bool IsWordAlone(char32_t c) {
  return IsUnspacedScript(c) &&
         std::u32string_view(U"。、，！？；：」』）ー").find(c) == std::u32string_view::npos;
}

// Divides the pieces of a translation into words. Sets *behind to the voids after the last word.
std::vector<Word> WordsOf(const std::vector<FragmentPiece>& pieces, std::vector<int>* behind) {
  std::vector<Word> words;
  std::vector<int> open;
  bool is_begun = false;  // the next character continues the last word
  bool has_space = false;
  for (const FragmentPiece& piece : pieces) {
    switch (piece.kind) {
      case FragmentPiece::Kind::kOpen:
        open.push_back(piece.number);
        is_begun = false;
        break;
      case FragmentPiece::Kind::kClose:
        open.pop_back();
        is_begun = false;
        break;
      case FragmentPiece::Kind::kVoid:
        behind->push_back(piece.number);
        is_begun = false;
        break;
      case FragmentPiece::Kind::kText:
        for (size_t at = 0; at < piece.text.size();) {
          const size_t begin = at;
          const char32_t c = NextCodePoint(piece.text, at);
          if (IsWhiteSpace(c)) {
            is_begun = false;
            has_space = true;
            continue;
          }
          if (!is_begun || IsWordAlone(c)) {
            words.push_back({"", open, std::exchange(*behind, {}), has_space});
            is_begun = true;
            has_space = false;
          }
          words.back().text.append(piece.text, begin, at - begin);
        }
        break;
    }
  }
  return words;
}

// Divides words[begin, end) into shares.size() parts, whose lengths are near the shares, and near
// the end of a clause where there is one. Returns the end of each part. Only the last parts may be
// empty.
std::vector<size_t> Divide(const std::vector<Word>& words, size_t begin, size_t end,
                           const std::vector<double>& shares) {
  // The length up to each word.
  std::vector<double> lengths = {0};
  for (size_t i = begin; i < end; ++i) {
    lengths.push_back(lengths.back() + static_cast<double>(CountCodePoints(words[i].text)) +
                      (words[i].has_space ? 1 : 0));
  }
  double all_shares = 0;
  for (const double share : shares) all_shares += share;
  const double part = lengths.back() / static_cast<double>(shares.size());
  std::vector<size_t> ends;
  double before = 0;
  size_t from = begin;
  for (size_t i = 0; i + 1 < shares.size(); ++i) {
    before += shares[i];
    const double ideal = lengths.back() * before / std::max(all_shares, 1.0);
    const size_t left = shares.size() - i - 1;  // parts that follow
    const size_t first = std::min(from + 1, end);
    const size_t last = end > first + left ? end - left : first;
    size_t best = first;
    double best_cost = INFINITY;
    for (size_t at = first; at <= last; ++at) {
      double cost = std::abs(lengths[at - begin] - ideal);
      // A line does not begin with punctuation, or inside a word.
      if (at < end && !words[at].has_space && !IsWordAlone(CodePointAt(words[at].text, 0))) {
        cost += lengths.back();
      }
      if (at > begin && EndsWithPunctuation(words[at - 1].text)) cost -= 0.2 * part;
      if (cost < best_cost) {
        best = at;
        best_cost = cost;
      }
    }
    ends.push_back(best);
    from = best;
  }
  ends.push_back(end);
  return ends;
}

class Subtitles final : public Document {
 public:
  Subtitles(std::string bytes, bool is_vtt) : bytes_(std::move(bytes)), is_vtt_(is_vtt) {}

  absl::Status Read(const DocumentOptions& options);
  absl::StatusOr<std::string> Write(Translations translations) const override;

 private:
  // The lines of consecutive cues that are one text.
  struct Group {
    struct Part {
      std::vector<TextRange> lines;
      double length = 0;  // code points without markup
    };
    std::vector<Part> parts;
    std::vector<std::string> opens;  // by number of the element
    std::vector<std::string> closes;
    std::vector<std::string> voids;
  };

  absl::Status ReadCues();
  absl::Status AddGroup(std::vector<Group::Part> parts, const DocumentOptions& options);
  // Appends the text of a line to the builder. Returns the length of it.
  double AppendLine(string_view line, Group* group, std::vector<int>* open,
                    FragmentBuilder* builder) const;
  void WriteLine(const Group& group, const std::vector<Word>& words, size_t begin, size_t end,
                 std::vector<int>* open, std::string& out) const;
  void Close(const Group& group, std::vector<int>* open, size_t keep, std::string& out) const;
  string_view In(TextRange range) const { return range.In(bytes_); }
  // Reports whether the sentence of the cue's text goes on in the next cue.
  bool GoesOn(const Cue& cue, const Cue& next) const;

  const std::string bytes_;
  const bool is_vtt_;
  std::vector<Cue> cues_;
  std::vector<Group> groups_;
};

absl::Status Subtitles::ReadCues() {
  if (absl::Status utf8 = CheckUtf8(bytes_); !utf8.ok()) return utf8;
  const string_view all = bytes_;
  const size_t mark = ByteOrderMarkSize(all);
  if (is_vtt_ && !all.substr(mark).starts_with("WEBVTT")) {
    return absl::InvalidArgumentError("line 1: expected \"WEBVTT\"");
  }
  std::vector<TextRange> lines;
  for (size_t at = mark; at < all.size();) {
    size_t end = all.find_first_of("\r\n", at);
    if (end == string_view::npos) end = all.size();
    lines.push_back({static_cast<int64_t>(at), static_cast<int64_t>(end)});
    at = end + (all.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  const auto is_blank = [&](size_t i) { return StripWhiteSpace(In(lines[i])).empty(); };
  for (size_t i = 0; i < lines.size(); ++i) {
    Cue cue;
    if (!ReadTimes(In(lines[i]), &cue)) continue;
    size_t end = i + 1;
    // In .srt a blank line ends a text only before the next cue, because programs write texts with
    // blank lines.
    const auto begins_cue = [&](size_t at) {
      Cue ignored;
      const bool is_numbered = at + 1 < lines.size() && IsNumber(In(lines[at])) &&
                               ReadTimes(In(lines[at + 1]), &ignored);
      return is_numbered || ReadTimes(In(lines[at]), &ignored);
    };
    while (end < lines.size() && !(is_vtt_ ? is_blank(end) : begins_cue(end))) ++end;
    for (size_t at = i + 1; at < end; ++at) {
      if (!is_blank(at)) cue.lines.push_back(lines[at]);
    }
    if (!cue.lines.empty()) cues_.push_back(std::move(cue));
    i = end - 1;
  }
  if (cues_.empty() && !is_vtt_ && !StripWhiteSpace(all.substr(mark)).empty()) {
    return absl::InvalidArgumentError(
        "found no line of times; expected \"00:00:01,000 --> 00:00:02,500\"");
  }
  return absl::OkStatus();
}

// Returns the line without tags at its ends.
string_view WithoutTags(string_view line) {
  line = StripWhiteSpace(line);
  while (line.starts_with('<') || line.starts_with("{\\")) {
    const size_t end = line.find(line[0] == '<' ? '>' : '}');
    if (end == string_view::npos) break;
    line = StripWhiteSpace(line.substr(end + 1));
  }
  while (line.ends_with('>') || line.ends_with('}')) {
    const size_t begin = line.rfind(line.back() == '>' ? "<" : "{\\");
    if (begin == string_view::npos) break;
    line = StripWhiteSpace(line.substr(0, begin));
  }
  return line;
}

// Reports whether the line is one of several speakers', or a line of a song.
bool IsAlone(string_view line) {
  line = WithoutTags(line);
  for (const string_view begin : {"-", "–", "—", "♪", "♫", "#", "["}) {
    if (line.starts_with(begin)) return true;
  }
  return line.starts_with('(') && line.ends_with(')');
}

// Returns the number of bytes of a dash and spaces at the beginning of the line.
size_t DashSize(string_view line) {
  for (const string_view dash : {"-", "–", "—"}) {
    if (!line.starts_with(dash)) continue;
    const size_t text = line.find_first_not_of(" \t", dash.size());
    return text == string_view::npos ? 0 : text;
  }
  return 0;
}

bool Subtitles::GoesOn(const Cue& cue, const Cue& next) const {
  if (next.begin_ms - cue.end_ms > kMostGapMs || next.begin_ms < cue.begin_ms) return false;
  const auto is_alone = [&](TextRange line) { return IsAlone(In(line)); };
  if (std::ranges::any_of(cue.lines, is_alone) || std::ranges::any_of(next.lines, is_alone)) {
    return false;
  }
  const string_view end = WithoutTags(In(cue.lines.back()));
  if (end.empty()) return false;
  size_t at = end.size();
  const char32_t last = PreviousCodePoint(end, at);
  return std::u32string_view(U".!?。！？…:\"”»)]♪♫").find(last) == std::u32string_view::npos;
}

absl::Status Subtitles::Read(const DocumentOptions& options) {
  if (absl::Status read = ReadCues(); !read.ok()) return read;
  std::vector<Group::Part> parts;
  const auto flush = [&] {
    return parts.empty() ? absl::OkStatus() : AddGroup(std::exchange(parts, {}), options);
  };
  for (size_t i = 0; i < cues_.size(); ++i) {
    const Cue& cue = cues_[i];
    const bool is_dialogue =
        cue.lines.size() > 1 &&
        std::ranges::any_of(cue.lines, [&](TextRange line) { return IsAlone(In(line)); });
    if (is_dialogue) {
      // A line that begins a speech, and those that continue it.
      for (const TextRange line : cue.lines) {
        if (!parts.empty() && IsAlone(In(line))) {
          if (absl::Status added = flush(); !added.ok()) return added;
        }
        if (parts.empty()) parts.emplace_back();
        parts[0].lines.push_back(line);
      }
      if (absl::Status added = flush(); !added.ok()) return added;
      continue;
    }
    parts.push_back({cue.lines});
    if (i + 1 < cues_.size() && parts.size() < kMostCues && GoesOn(cue, cues_[i + 1])) continue;
    if (absl::Status added = flush(); !added.ok()) return added;
  }
  return absl::OkStatus();
}

double Subtitles::AppendLine(string_view line, Group* group, std::vector<int>* open,
                             FragmentBuilder* builder) const {
  double length = 0;
  const auto add_void = [&](string_view bytes) {
    builder->Void(static_cast<int>(group->voids.size()));
    group->voids.emplace_back(bytes);
  };
  for (size_t at = 0; at < line.size();) {
    const string_view rest = line.substr(at);
    size_t size = 0;
    if (rest[0] == '<' && rest.find('>') != string_view::npos) {
      size = rest.find('>') + 1;
      const string_view tag = rest.substr(0, size);
      const string_view name =
          tag.substr(1, std::min(tag.find_first_of(" .>\t", 1), tag.size() - 1) - 1);
      if (name.starts_with('/')) {
        // The innermost open element of this name ends. Others inside it end too.
        const std::string wanted = Concat("</", name.substr(1), ">");
        const auto found = std::find_if(open->rbegin(), open->rend(), [&](int number) {
          return group->closes[static_cast<size_t>(number)] == wanted;
        });
        if (found != open->rend()) {
          const int number = *found;
          while (true) {
            const int last = open->back();
            builder->Close(last);
            open->pop_back();
            if (last == number) break;
          }
        }
      } else if (!name.empty() && absl::ascii_isalpha(static_cast<unsigned char>(name[0]))) {
        const int number = static_cast<int>(group->opens.size());
        group->opens.emplace_back(tag);
        group->closes.push_back(Concat("</", name, ">"));
        open->push_back(number);
        builder->Open(number);
      } else {
        add_void(tag);  // a time inside a cue
      }
    } else if (rest.starts_with("{\\") && rest.find('}') != string_view::npos) {
      size = rest.find('}') + 1;
      add_void(rest.substr(0, size));
    } else {
      size = std::min(rest.find_first_of("<{&", 1), rest.size());
      std::string text(rest.substr(0, size));
      if (is_vtt_ && rest[0] == '&') {
        const CharacterReference reference = ReadCharacterReference(rest);
        if (reference.size > 0) {
          text = reference.text;
          size = reference.size;
        }
      }
      length += static_cast<double>(CountCodePoints(text));
      builder->Text(text);
    }
    at += size;
  }
  return length;
}

absl::Status Subtitles::AddGroup(std::vector<Group::Part> parts, const DocumentOptions& options) {
  Group group{std::move(parts), {}, {}, {}};
  // The dash before a speech stays.
  TextRange& first = group.parts[0].lines[0];
  first.begin += static_cast<int64_t>(DashSize(In(first)));
  FragmentBuilder builder;
  std::vector<int> open;
  for (size_t i = 0; i < group.parts.size(); ++i) {
    if (i > 0) builder.Text(" ");
    for (size_t j = 0; j < group.parts[i].lines.size(); ++j) {
      if (j > 0) builder.Text(" ");
      group.parts[i].length +=
          AppendLine(StripWhiteSpace(In(group.parts[i].lines[j])), &group, &open, &builder);
    }
  }
  for (; !open.empty(); open.pop_back()) {
    builder.Close(open.back());
    // A voice of WebVTT needs no end.
    group.closes[static_cast<size_t>(open.back())].clear();
  }
  if (!builder.has_text()) return absl::OkStatus();
  const int64_t at = group.parts[0].lines[0].begin;
  const bool is_long = group.parts.size() == 1 && group.parts[0].lines.size() > 64;
  absl::Status added =
      AddText(builder.Take(), options, is_long ? LineOf(bytes_, at) : std::string("a cue"));
  if (added.ok()) groups_.push_back(std::move(group));
  return added;
}

void Subtitles::Close(const Group& group, std::vector<int>* open, size_t keep,
                      std::string& out) const {
  for (; open->size() > keep; open->pop_back()) {
    out += group.closes[static_cast<size_t>(open->back())];
  }
}

// Returns how many of the open elements are around the word too.
size_t CommonElements(const std::vector<int>& open, const Word& word) {
  return static_cast<size_t>(
      std::mismatch(open.begin(), open.end(), word.elements.begin(), word.elements.end()).first -
      open.begin());
}

void Subtitles::WriteLine(const Group& group, const std::vector<Word>& words, size_t begin,
                          size_t end, std::vector<int>* open, std::string& out) const {
  for (size_t i = begin; i < end; ++i) {
    const Word& word = words[i];
    const size_t common = CommonElements(*open, word);
    Close(group, open, common, out);
    if (i > begin && word.has_space) out += ' ';
    for (const int number : word.voids) out += group.voids[static_cast<size_t>(number)];
    for (size_t j = common; j < word.elements.size(); ++j) {
      out += group.opens[static_cast<size_t>(word.elements[j])];
      open->push_back(word.elements[j]);
    }
    if (is_vtt_) {
      AppendEscaped(word.text, out);
    } else {
      out += word.text;
    }
  }
}

absl::StatusOr<std::string> Subtitles::Write(Translations translations) const {
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (!translations[i].has_value() || *translations[i] == texts()[i].text) continue;
    absl::StatusOr<std::vector<FragmentPiece>> pieces = ReadFragment(texts()[i], *translations[i]);
    if (!pieces.ok()) return pieces.status();
    const Group& group = groups_[i];
    std::vector<int> behind;
    std::vector<Word> words = WordsOf(*pieces, &behind);
    if (words.empty()) continue;
    std::vector<double> shares;
    for (const Group::Part& part : group.parts) shares.push_back(part.length);
    const std::vector<size_t> ends = Divide(words, 0, words.size(), shares);
    size_t begin = 0;
    for (size_t p = 0; p < group.parts.size(); ++p) {
      const std::vector<TextRange>& lines = group.parts[p].lines;
      out.append(bytes_, at, static_cast<size_t>(lines[0].begin) - at);
      at = static_cast<size_t>(lines.back().end);
      // The line end of the document.
      const string_view line_end =
          lines.size() > 1 && bytes_[static_cast<size_t>(lines[0].end)] == '\r' ? "\r\n" : "\n";
      const std::vector<size_t> line_ends =
          Divide(words, begin, ends[p], std::vector<double>(lines.size(), 1));
      std::vector<int> open;
      for (size_t line = 0; line < lines.size() && begin < line_ends[line]; ++line) {
        if (line > 0) {
          Close(group, &open, CommonElements(open, words[begin]), out);
          out += line_end;
        }
        WriteLine(group, words, begin, line_ends[line], &open, out);
        begin = line_ends[line];
      }
      if (p + 1 == group.parts.size()) {
        for (const int number : behind) out += group.voids[static_cast<size_t>(number)];
      }
      Close(group, &open, 0, out);
      // A cue without a word would not be one any more.
      if (out.ends_with('\n') || out.ends_with('\r')) out += "…";
    }
  }
  out.append(bytes_, at);
  return out;
}

ReadDocument Read(std::string bytes, bool is_vtt, const DocumentOptions& options) {
  auto document = std::make_unique<Subtitles>(std::move(bytes), is_vtt);
  if (absl::Status read = document->Read(options); !read.ok()) return read;
  return document;
}

}  // namespace

ReadDocument ReadSrt(std::string bytes, const DocumentOptions& options) {
  return Read(std::move(bytes), false, options);
}

ReadDocument ReadVtt(std::string bytes, const DocumentOptions& options) {
  return Read(std::move(bytes), true, options);
}

}  // namespace dragoman::engine
