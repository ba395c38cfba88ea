#include "client/line_printer.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "client/status_map.h"
#include "client/translation_json.h"
#include "client/utf8.h"

namespace dragoman {
namespace {

// A translation on one line, whatever the model made of it.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

template <typename Message>
std::string ScoreText(const Message& message) {
  return message.has_score() ? FloatText(message.score()) : "";
}

}  // namespace

LinePrinter::LinePrinter(const Options& options, const Io& io, ClientClock* clock)
    : options_(options), io_(io), clock_(*clock) {
  if (options.progress) progress_.emplace(&io.err, io.columns, options.total_bytes, clock_.Now());
}

void LinePrinter::ClearTerminal() {
  if (progress_.has_value()) progress_->Clear();
  if (partial_visible_) io_.out << "\r\x1b[K";
  partial_visible_ = false;
}

void LinePrinter::OnLine(int64_t number, const LineResult& result) {
  if (io_.out_terminal || !result.status.ok()) ClearTerminal();
  ++lines_;
  bytes_ += result.source_bytes;
  if (result.status.ok()) {
    if (result.translation.finish_reason() == v1::LENGTH) ++at_limit_;
  } else {
    ++failed_;
    ReportError(number, result.status);
  }
  PrintResult(number, result);
}

void LinePrinter::PrintResult(int64_t number, const LineResult& result) {
  const v1::Translation& translation = result.translation;
  switch (options_.format) {
    case Format::kText:
      io_.out << OneLine(translation.translated_text()) << '\n';
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
  // Errors wait for equal neighbours, but nobody who types the lines does.
  if (lines_ > pending_last_ || io_.in_terminal) PrintPendingErrors();
  io_.out.flush();
  if (progress_.has_value()) progress_->Update(lines_, bytes_, clock_.Now());
}

void LinePrinter::Close() {
  ClearTerminal();
  PrintPendingErrors();
  io_.out.flush();
  if (at_limit_ > 0 && options_.format != Format::kJson) {
    io_.err << "dragoman translate: note: " << at_limit_ << (at_limit_ == 1 ? " line" : " lines")
            << " reached the output limit (--max-output-tokens, --max-length-ratio)\n";
  }
}

}  // namespace dragoman
