#include "engine/documents/xml_texts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "engine/base/utf8.h"

namespace dragoman::engine {

using std::string_view;

namespace {

bool IsBlank(string_view text) { return StripWhiteSpace(text).empty(); }

}  // namespace

void XmlTexts::Text(string_view text, TextRange range) {
  std::vector<Token>& tokens = open_.back();
  // The parser reports a text in parts.
  if (!tokens.empty() && tokens.back().kind == Token::Kind::kText &&
      tokens.back().range.end == range.begin) {
    tokens.back().text += text;
    tokens.back().range.end = range.end;
    return;
  }
  tokens.push_back({Token::Kind::kText, range, std::string(text)});
}

void XmlTexts::Start(TextRange tag) { open_.back().push_back({Token::Kind::kStart, tag}); }
void XmlTexts::End(TextRange tag) { open_.back().push_back({Token::Kind::kEnd, tag}); }

void XmlTexts::Void(TextRange range, bool is_break) {
  open_.back().push_back({Token::Kind::kVoid, range, "", is_break});
}

void XmlTexts::Kept(TextRange range, std::string text) {
  if (IsBlank(text)) return Void(range);
  std::vector<Token>& tokens = open_.back();
  if (!tokens.empty() && tokens.back().kind == Token::Kind::kKept &&
      tokens.back().range.end == range.begin) {
    tokens.back().text += text;
    tokens.back().range.end = range.end;
    return;
  }
  tokens.push_back({Token::Kind::kKept, range, std::move(text)});
}

void XmlTexts::Span(TextRange range, SpanStyle style, std::vector<Item> items) {
  open_.back().push_back(
      {Token::Kind::kSpan, range, "", false, std::move(style), std::move(items)});
}

void XmlTexts::EndRun() { AddRun(std::exchange(open_.back(), {})); }

void XmlTexts::Enter() { open_.emplace_back(); }

void XmlTexts::Leave() {
  EndRun();
  open_.pop_back();
}

void XmlTexts::Drop() { open_.pop_back(); }

void XmlTexts::WriteNextAt(TextRange target, std::string before, std::string after) {
  next_ = std::make_unique<Run>();
  next_->target = target;
  next_->before = std::move(before);
  next_->after = std::move(after);
}

void XmlTexts::Edit(TextRange range, std::string bytes) {
  Run& edit = runs_.emplace_back();
  edit.range = edit.target = range;
  edit.after = std::move(bytes);
  edit.is_edit = true;
}

void XmlTexts::EditWithNext(TextRange range, std::string bytes) {
  next_edit_ = std::make_unique<Run>();
  next_edit_->range = next_edit_->target = range;
  next_edit_->after = std::move(bytes);
  next_edit_->is_edit = true;
}

// Pairs the tags, and cuts the run at tags without a partner, which are not moved.
void XmlTexts::AddRun(std::vector<Token> tokens) {
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == Token::Kind::kStart) open.push_back(i);
    if (tokens[i].kind != Token::Kind::kEnd || open.empty()) continue;
    tokens[i].pair = static_cast<int64_t>(open.back());
    tokens[open.back()].pair = static_cast<int64_t>(i);
    open.pop_back();
  }
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    const bool is_alone =
        i < tokens.size() && tokens[i].pair < 0 &&
        (tokens[i].kind == Token::Kind::kStart || tokens[i].kind == Token::Kind::kEnd);
    if (i < tokens.size() && !is_alone) continue;
    // Indices of partners become relative to the part.
    for (size_t j = begin; j < i; ++j) {
      if (tokens[j].pair >= 0) tokens[j].pair -= static_cast<int64_t>(begin);
    }
    AddTrimmed(std::span(tokens).subspan(begin, i - begin));
    begin = i + 1;
  }
  next_.reset();
  next_edit_.reset();
}

void XmlTexts::AddTrimmed(std::span<Token> tokens) {
  size_t begin = 0;
  size_t end = tokens.size();
  const auto has_text = [&](size_t from, size_t to) {
    return std::any_of(tokens.begin() + static_cast<int64_t>(from),
                       tokens.begin() + static_cast<int64_t>(to), [](const Token& token) {
                         return !IsBlank(token.text) ||
                                std::ranges::any_of(token.items, [](const Item& item) {
                                  return !IsBlank(item.text);
                                });
                       });
  };
  while (begin < end) {
    const Token& first = tokens[begin];
    const Token& last = tokens[end - 1];
    if (first.kind == Token::Kind::kStart) {
      const auto partner = static_cast<size_t>(first.pair);
      if (partner == end - 1) {
        ++begin;
        --end;
        continue;
      }
      if (!has_text(begin, partner)) {
        begin = partner + 1;
        continue;
      }
    } else if (!has_text(begin, begin + 1)) {
      ++begin;
      continue;
    }
    if (last.kind == Token::Kind::kEnd) {
      const auto partner = static_cast<size_t>(last.pair);
      if (!has_text(partner, end)) {
        end = partner;
        continue;
      }
    } else if (!has_text(end - 1, end)) {
      --end;
      continue;
    }
    break;
  }
  const std::span<Token> kept = tokens.subspan(begin, end - begin);
  const bool is_all_kept = std::ranges::all_of(kept, [](const Token& token) {
    return token.kind == Token::Kind::kKept ||
           (IsBlank(token.text) && token.kind != Token::Kind::kSpan);
  });
  if (is_all_kept) return;

  Run run = next_ == nullptr ? Run() : *std::exchange(next_, nullptr);
  run.range = {kept.front().range.begin, kept.back().range.end};
  if (run.target.end == 0) run.target = run.range;
  // The span with most text is the one whose words have no element.
  std::map<string_view, size_t> sizes;
  size_t most = 0;
  for (const Token& token : kept) {
    if (token.kind != Token::Kind::kSpan) continue;
    run.has_spans = true;
    size_t& size = sizes[token.style.open_text];
    for (const Item& item : token.items) size += item.text.size();
    if (size > most) {
      most = size;
      run.base = token.style;
    }
  }
  FragmentBuilder builder;
  std::map<size_t, int> numbers;  // of elements, by the index of the token
  const auto add_piece = [&](Piece piece) {
    run.pieces.push_back(std::move(piece));
    return static_cast<int>(run.pieces.size()) - 1;
  };
  const auto add_void = [&](Piece piece, bool is_break) {
    const int number = add_piece(std::move(piece));
    if (is_break) {
      builder.Break(number);
    } else {
      builder.Void(number);
    }
  };
  std::optional<std::pair<SpanStyle, int>> span;  // the open element of a span
  const auto close_span = [&] {
    if (span.has_value()) builder.Close(span->second);
    span.reset();
  };
  for (size_t i = 0; i < kept.size(); ++i) {
    Token& token = kept[i];
    if (token.kind != Token::Kind::kSpan) close_span();
    switch (token.kind) {
      case Token::Kind::kText:
        builder.Text(Normalized(token.text));
        break;
      case Token::Kind::kStart: {
        const size_t partner = static_cast<size_t>(token.pair) - begin;
        numbers[partner] = add_piece({token.range, kept[partner].range});
        builder.Open(numbers[partner]);
        break;
      }
      case Token::Kind::kEnd:
        builder.Close(numbers[i]);
        break;
      case Token::Kind::kVoid:
        add_void({token.range}, token.is_break);
        break;
      case Token::Kind::kKept:
        builder.Kept(add_piece({token.range}), Normalized(token.text));
        break;
      case Token::Kind::kSpan: {
        if (span.has_value() && span->first != token.style) close_span();
        if (!span.has_value() && token.style != run.base) {
          const int number = add_piece({{}, {}, token.style, true});
          span.emplace(token.style, number);
          builder.Open(number);
        }
        for (const Item& item : token.items) {
          if (item.void_range.has_value()) {
            add_void({*item.void_range, {}, token.style, true}, item.is_break);
          } else {
            builder.Text(Normalized(item.text));
          }
        }
        break;
      }
    }
  }
  close_span();
  run.text = builder.Take();
  if (kept_ != nullptr && kept_->contains(run.text.text)) return;
  run.index = static_cast<int64_t>(runs_.size());
  if (next_edit_ != nullptr) {
    next_edit_->index = run.index;
    runs_.push_back(*std::exchange(next_edit_, nullptr));
  }
  runs_.push_back(std::move(run));
}

std::string XmlTexts::Normalized(string_view text) const {
  if (keeps_space_) return std::string(text);
  std::string normalized;
  bool is_space = false;
  for (const char c : text) {
    const bool was_space = std::exchange(is_space, c == ' ' || c == '\t' || c == '\n' || c == '\r');
    if (!is_space) {
      normalized += c;
    } else if (!was_space) {
      normalized += ' ';
    }
  }
  return normalized;
}

std::vector<DocumentText> XmlTexts::TakeTexts() {
  std::ranges::stable_sort(runs_, {}, [](const Run& run) { return run.target.begin; });
  std::vector<DocumentText> texts;
  std::map<int64_t, int64_t> indices;  // by the numbers that AddTrimmed gave
  for (Run& run : runs_) {
    if (run.is_edit) continue;
    indices[run.index] = static_cast<int64_t>(texts.size());
    run.index = static_cast<int64_t>(texts.size());
    texts.push_back(std::move(run.text));
  }
  for (Run& run : runs_) {
    if (run.is_edit && run.index >= 0) run.index = indices[run.index];
  }
  return texts;
}

// Writes the translation of one run.
class XmlTexts::RunWriter {
 public:
  RunWriter(const XmlTexts& file, const Run& run, std::span<const DocumentText> texts,
            Translations translations, std::string& out)
      : file_(file),
        run_(run),
        after_(static_cast<size_t>(&run - file.runs_.data()) + 1),
        texts_(texts),
        translations_(translations),
        out_(out) {}

  absl::Status Write(const std::vector<FragmentPiece>& pieces) {
    for (const FragmentPiece& piece : pieces) {
      const Piece* const of =
          piece.number < 0 ? nullptr : &run_.pieces[static_cast<size_t>(piece.number)];
      switch (piece.kind) {
        case FragmentPiece::Kind::kText:
          if (piece.text.empty()) break;
          OpenText();
          AppendXmlText(piece.text, out_);
          break;
        case FragmentPiece::Kind::kOpen:
          if (of->is_span) {
            styles_.push_back(&of->style);
          } else {
            CloseText();
            out_ += of->open.In(file_.xml_);
          }
          break;
        case FragmentPiece::Kind::kClose:
          if (of->is_span) {
            styles_.pop_back();
          } else {
            CloseText();
            out_ += of->close.In(file_.xml_);
          }
          break;
        case FragmentPiece::Kind::kVoid: {
          CloseText();
          out_ += of->style.open_void;
          absl::Status rendered = file_.Render(of->open, after_, texts_, translations_, out_);
          if (!rendered.ok()) return rendered;
          out_ += of->style.close_void;
          break;
        }
      }
    }
    CloseText();
    return absl::OkStatus();
  }

 private:
  // Opens a span for the next word, unless it is open.
  void OpenText() {
    if (!run_.has_spans) return;
    const SpanStyle* const style = styles_.empty() ? &run_.base : styles_.back();
    if (open_ == style) return;
    CloseText();
    out_ += style->open_text;
    open_ = style;
  }
  void CloseText() {
    if (open_ != nullptr) out_ += open_->close_text;
    open_ = nullptr;
  }

  const XmlTexts& file_;
  const Run& run_;
  const size_t after_;  // the index of the next run
  const std::span<const DocumentText> texts_;
  const Translations translations_;
  std::string& out_;
  std::vector<const SpanStyle*> styles_;
  const SpanStyle* open_ = nullptr;
};

absl::Status XmlTexts::Render(TextRange range, size_t from, std::span<const DocumentText> texts,
                              Translations translations, std::string& out) const {
  const auto copy = [&](int64_t begin, int64_t end) { out += TextRange{begin, end}.In(xml_); };
  int64_t at = range.begin;
  const auto first = [&](int64_t begin) {
    const auto found =
        std::ranges::lower_bound(runs_, begin, {}, [](const Run& run) { return run.target.begin; });
    return static_cast<size_t>(found - runs_.begin());
  };
  for (size_t i = std::max(from, first(range.begin));
       i < runs_.size() && runs_[i].target.begin < range.end;) {
    const Run& run = runs_[i];
    const bool is_elsewhere = run.target != run.range;
    const auto text = static_cast<size_t>(std::max<int64_t>(run.index, 0));
    if ((run.index >= 0 && !translations[text].has_value()) ||
        (!run.is_edit && !is_elsewhere && *translations[text] == texts[text].text)) {
      ++i;
      continue;
    }
    copy(at, run.target.begin);
    out += run.before;
    if (!run.is_edit) {
      absl::StatusOr<std::vector<FragmentPiece>> pieces =
          ReadFragment(texts[text], *translations[text]);
      if (!pieces.ok()) return pieces.status();
      absl::Status written = RunWriter(*this, run, texts, translations, out).Write(*pieces);
      if (!written.ok()) return written;
    }
    out += run.after;
    at = run.target.end;
    // The runs inside this one were written with its voids.
    const size_t behind = first(at);
    i = std::max(i + 1, behind);
  }
  copy(at, range.end);
  return absl::OkStatus();
}

absl::StatusOr<std::string> XmlTexts::Write(std::span<const DocumentText> texts,
                                            Translations translations) const {
  if (std::ranges::none_of(translations, [](const auto& given) { return given.has_value(); })) {
    return xml_;
  }
  std::string out;
  out.reserve(xml_.size() + xml_.size() / 8);
  absl::Status rendered =
      Render({0, static_cast<int64_t>(xml_.size())}, 0, texts, translations, out);
  if (!rendered.ok()) return rendered;
  return out;
}

}  // namespace dragoman::engine
