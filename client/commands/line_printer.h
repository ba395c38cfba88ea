// Prints the results of a translation run (text, n-best lists, alignments or JSON), its errors and
// its progress.
//
// Not thread-safe. Borrows the streams and the clock. Errors go to `err`; equal errors of
// consecutive lines are printed as one message. For a line that fails, the output still has a line,
// so that line numbers of input and output match.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "client/clock.h"
#include "client/commands/command.h"
#include "client/commands/translate_run.h"

namespace dragoman::client {

// A progress bar on one line of a terminal, drawn at most ten times a second.
class Progress {
 public:
  // `total_bytes` is the size of the input. If it is unset, a count is shown instead of a bar.
  Progress(std::ostream* err, int columns, std::optional<int64_t> total_bytes,
           ClientClock::TimePoint start)
      : err_(*err), columns_(columns), total_bytes_(total_bytes), start_(start) {}

  // Draws the bar if it is due. `lines` and `bytes` say how much of the input is done.
  void Update(int64_t lines, int64_t bytes, ClientClock::TimePoint now);
  // Removes the bar from the terminal. The next Update draws it again.
  void Clear();

 private:
  std::ostream& err_;
  const int columns_;
  const std::optional<int64_t> total_bytes_;
  const ClientClock::TimePoint start_;
  std::optional<ClientClock::TimePoint> drawn_;  // when it was drawn last
  bool visible_ = false;
};

class LinePrinter : public ResultSink {
 public:
  enum class Format {
    kText,       // the translation
    kNBest,      // for each hypothesis: line TAB rank TAB score TAB text
    kAlignment,  // for each link: line TAB source TAB target; without links: line TAB TAB
    kJson,       // a JSON object
  };
  struct Options {
    Format format = Format::kText;
    // Whether the complete input is one text. Its translation keeps its line feeds.
    bool whole = false;
    // Whether to write the known part of the current line while it grows. REQUIRES: the output is a
    // terminal.
    bool partials = false;
    bool progress = false;
    // The size of the input in bytes, if known.
    std::optional<int64_t> total_bytes;
  };

  LinePrinter(const Options& options, const Io& io, ClientClock* clock);

  void OnLine(int64_t number, LineResult* result) override;
  void OnPartial(int64_t number, const std::string& text) override;
  void OnIdle() override;
  bool WantsTicks() const override { return progress_.has_value(); }

  // Prints pending errors and the notes at the end of the run. Call once, after the last line.
  void Close();

  int64_t failed_lines() const { return failed_; }
  int64_t lines() const { return lines_; }
  // unknown_lines: the number of lines whose language was not detected. Lines without letters (only
  // digits or punctuation) do not count. first_unknown: the line numbers of the first few.
  int64_t unknown_lines() const { return unknown_; }
  const std::vector<int64_t>& first_unknown() const { return first_unknown_; }

 private:
  void PrintResult(int64_t number, const LineResult& result);
  void PrintAlignment(int64_t number, const LineResult& result);
  void CountReasons(int64_t number, const LineResult& result);
  // Prints "note: N lines WHAT" unless N is 0.
  void PrintNote(int64_t lines, const char* what);
  void ReportError(int64_t number, const absl::Status& status);
  void PrintPendingErrors();
  void ClearTerminal();

  const Options options_;
  const Io& io_;
  ClientClock& clock_;
  std::optional<Progress> progress_;
  bool partial_visible_ = false;
  int64_t lines_ = 0;
  int64_t bytes_ = 0;
  int64_t failed_ = 0;
  int64_t at_limit_ = 0;
  int64_t narrow_ = 0;        // lines with a warning BEAM_TOO_NARROW
  int64_t untranslated_ = 0;  // lines with a warning NOT_TRANSLATED
  int64_t unknown_text_ = 0;  // lines with a warning UNKNOWN_CHARACTERS
  int64_t lost_ = 0;          // lines with a warning PLACEHOLDER_LOST
  int64_t suspicious_ = 0;    // lines with a warning SUSPICIOUS
  int64_t unmet_ = 0;         // lines with CONSTRAINTS_UNMET in any hypothesis
  int64_t without_output_ = 0;
  int64_t unknown_ = 0;
  std::vector<int64_t> first_unknown_;
  // The error of lines pending_first_ to pending_last_, which has not been printed yet.
  std::string pending_error_;
  int64_t pending_first_ = 0;
  int64_t pending_last_ = 0;
};

}  // namespace dragoman::client
