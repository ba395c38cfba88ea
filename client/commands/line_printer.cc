#include "client/commands/line_printer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/commands/translation_json.h"
#include "client/commands/utf8.h"
#include "client/status_map.h"

namespace dragoman::client {
namespace {

// Returns the text with every line feed replaced by a space.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// Returns bytes [begin, end) of `text`, clamped to its size, with spaces in place of line feeds and
// tabs.
std::string Cell(std::string_view text, int64_t begin, int64_t end) {
  const auto size = static_cast<int64_t>(text.size());
  begin = std::clamp<int64_t>(begin, 0, size);
  end = std::clamp<int64_t>(end, begin, size);
  std::string cell(text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  std::replace(cell.begin(), cell.end(), '\t', ' ');
  return OneLine(std::move(cell));
}

template <typename Message>
std::string ScoreText(const Message& message) {
  return message.has_score() ? FloatText(message.score()) : "";
}

// The maximum number of lines that the note on unknown languages names.
constexpr size_t kFirstUnknown = 8;

// Reports whether the text may have letters. Returns false if all its bytes are ASCII and none is a
// letter.
bool MayHaveLetters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c & 0x80) != 0 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

// If the error says that a language code is missing, returns a hint at the flag that sets it. This
// error is common with multilingual models.
std::string HintOf(std::string_view error) {
  for (const auto& [missing, flag] : {std::pair("source_language_code is missing", "--from"),
                                      std::pair("target_language_code is missing", "--to")}) {
    if (error.find(missing) == error.npos) continue;
    return absl::StrCat("; give it with ", flag, " ('dragoman languages' lists them)");
  }
  return "";
}

}  // namespace

void Progress::Update(int64_t lines, int64_t bytes, ClientClock::TimePoint now) {
  if (visible_ && drawn_.has_value() && now - *drawn_ < std::chrono::milliseconds(100)) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(lines) / seconds : 0;
  std::string text = absl::StrFormat("%d lines, %.1f lines/s", lines, rate);
  if (total_bytes_.has_value() && *total_bytes_ > 0) {
    const double done =
        std::min(1.0, static_cast<double>(bytes) / static_cast<double>(*total_bytes_));
    if (done > 0) absl::StrAppendFormat(&text, ", %.0f s left", seconds * (1 - done) / done);
    const int width = std::min(40, columns_ - static_cast<int>(text.size()) - 11);
    if (width >= 5) {
      const int full = static_cast<int>(done * width);
      text = absl::StrFormat("[%s%s] %3.0f %% %s", std::string(full, '#'),
                             std::string(width - full, '.'), done * 100, text);
    }
  }
  text.resize(std::min(text.size(), static_cast<size_t>(std::max(1, columns_ - 1))));
  err_ << "\r\x1b[K" << text << std::flush;
  drawn_ = now;
  visible_ = true;
}

void Progress::Clear() {
  if (!visible_) return;
  err_ << "\r\x1b[K" << std::flush;
  visible_ = false;
}

LinePrinter::LinePrinter(const Options& options, const Io& io, ClientClock* clock)
    : options_(options), io_(io), clock_(*clock) {
  if (options.progress) progress_.emplace(&io.err, io.columns, options.total_bytes, clock_.Now());
}

void LinePrinter::ClearTerminal() {
  if (progress_.has_value()) progress_->Clear();
  if (partial_visible_) io_.out << "\r\x1b[K";
  partial_visible_ = false;
}

void LinePrinter::OnLine(int64_t number, LineResult* line) {
  const LineResult& result = *line;
  if (io_.out_terminal || !result.status.ok()) ClearTerminal();
  ++lines_;
  bytes_ += result.source_bytes;
  if (result.status.ok()) {
    CountReasons(number, result);
  } else {
    ++failed_;
    ReportError(number, result.status);
  }
  PrintResult(number, result);
}

void LinePrinter::CountReasons(int64_t number, const LineResult& result) {
  const v1::Translation& translation = result.translation;
  if (translation.has_detection_confidence() && translation.detected_language_code().empty() &&
      MayHaveLetters(result.source)) {
    ++unknown_;
    if (first_unknown_.size() < kFirstUnknown) first_unknown_.push_back(number);
  }
  bool unmet = translation.finish_reason() == v1::CONSTRAINTS_UNMET;
  for (const v1::Alternative& alternative : translation.alternatives()) {
    unmet = unmet || alternative.finish_reason() == v1::CONSTRAINTS_UNMET;
  }
  if (unmet) ++unmet_;
  if (translation.finish_reason() == v1::LENGTH) ++at_limit_;
  if (translation.finish_reason() == v1::NO_OUTPUT) ++without_output_;
  for (const v1::Warning& warning : translation.warnings()) {
    if (warning.code() == v1::Warning::BEAM_TOO_NARROW) ++narrow_;
    if (warning.code() == v1::Warning::NOT_TRANSLATED) ++untranslated_;
    if (warning.code() == v1::Warning::UNKNOWN_CHARACTERS) ++unknown_text_;
    if (warning.code() == v1::Warning::PLACEHOLDER_LOST) ++lost_;
    if (warning.code() == v1::Warning::SUSPICIOUS) ++suspicious_;
  }
}

void LinePrinter::PrintAlignment(int64_t number, const LineResult& result) {
  const v1::Translation& translation = result.translation;
  if (translation.alignment().links_size() == 0) io_.out << number << "\t\t\n";
  for (const v1::Alignment::Link& link : translation.alignment().links()) {
    io_.out << number << '\t' << Cell(result.source, link.source_begin(), link.source_end()) << '\t'
            << Cell(translation.translated_text(), link.target_begin(), link.target_end()) << '\n';
  }
}

void LinePrinter::PrintResult(int64_t number, const LineResult& result) {
  const v1::Translation& translation = result.translation;
  switch (options_.format) {
    case Format::kText: {
      const std::string& text = translation.translated_text();
      if (!options_.whole) {
        io_.out << OneLine(text) << '\n';
      } else {
        io_.out << text << (!text.empty() && text.back() == '\n' ? "" : "\n");
      }
      return;
    }
    case Format::kAlignment:
      PrintAlignment(number, result);
      return;
    case Format::kNBest: {
      io_.out << number << "\t1\t" << ScoreText(translation) << '\t'
              << OneLine(translation.translated_text()) << '\n';
      int rank = 1;
      for (const v1::Alternative& alternative : translation.alternatives()) {
        io_.out << number << '\t' << ++rank << '\t' << ScoreText(alternative) << '\t'
                << OneLine(alternative.text()) << '\n';
      }
      return;
    }
    case Format::kJson: {
      nlohmann::ordered_json object = {{"line", number}};
      if (result.empty) {
        object["text"] = "";
      } else if (result.status.ok()) {
        object.update(ToJson(translation));
      } else {
        object["error"] = ErrorToJson(result.status);
      }
      io_.out << JsonLine(object) << '\n';
      return;
    }
  }
}

void LinePrinter::ReportError(int64_t number, const absl::Status& status) {
  std::string text = ForPeople(status);
  text += HintOf(text);
  if (text == pending_error_ && number == pending_last_ + 1) {
    pending_last_ = number;
    return;
  }
  PrintPendingErrors();
  pending_error_ = std::move(text);
  pending_first_ = pending_last_ = number;
}

void LinePrinter::PrintPendingErrors() {
  if (pending_error_.empty()) return;
  ClearTerminal();
  const std::string lines = pending_first_ == pending_last_
                                ? absl::StrCat("line ", pending_first_)
                                : absl::StrCat("lines ", pending_first_, "-", pending_last_);
  io_.err << "dragoman translate: " << lines << ": " << pending_error_ << std::endl;
  pending_error_.clear();
}

void LinePrinter::OnPartial(int64_t, const std::string& text) {
  if (!options_.partials) return;
  ClearTerminal();
  io_.out << TailForDisplay(OneLine(text), io_.columns - 1);
  partial_visible_ = true;
}

void LinePrinter::OnIdle() {
  // An error waits here while the next lines have the same error. If a user types the lines, it
  // does not wait.
  if (lines_ > pending_last_ || io_.in_terminal) PrintPendingErrors();
  io_.out.flush();
  if (progress_.has_value()) progress_->Update(lines_, bytes_, clock_.Now());
}

void LinePrinter::Close() {
  ClearTerminal();
  PrintPendingErrors();
  io_.out.flush();
  // The JSON objects already have finish_reason and warnings.
  if (options_.format == Format::kJson) return;
  PrintNote(at_limit_, "reached the output limit (--max-output-tokens, --max-length-ratio)");
  PrintNote(narrow_, "had a beam too narrow for their phrases and terms (--beam-size)");
  PrintNote(untranslated_, "came back untranslated in part: the model cannot read or write it");
  PrintNote(unknown_text_, "had characters that the model's vocabulary lacks");
  PrintNote(lost_, "lost a placeholder (PLACEHOLDER_LOST)");
  PrintNote(suspicious_, "may have a wrong translation (SUSPICIOUS; --guard retry searches again)");
  PrintNote(unmet_, "lacked a required phrase or term (CONSTRAINTS_UNMET)");
  PrintNote(without_output_, "had no hypothesis left (NO_OUTPUT)");
}

void LinePrinter::PrintNote(int64_t lines, const char* what) {
  if (lines == 0) return;
  io_.err << "dragoman translate: note: " << lines << (lines == 1 ? " line " : " lines ") << what
          << '\n';
}

}  // namespace dragoman::client
