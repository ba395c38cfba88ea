#include "client/corpus/corpus_report.h"

#include <ctime>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/commands/translation_json.h"

namespace dragoman::client {

CorpusReport::CorpusReport(const Io& io, const Totals& totals, std::string shard,
                           std::string metrics_path)
    : io_(io),
      totals_(totals),
      shard_(std::move(shard)),
      metrics_path_(std::move(metrics_path)),
      bar_(&io.err, io.columns,
           totals.bytes > 0 ? std::optional<int64_t>(totals.bytes) : std::nullopt, begin_) {}

void CorpusReport::OnProgress(const std::string& file, const ShardProgress& progress,
                              int64_t raw_bytes) {
  if (!first_.has_value()) first_ = progress;
  current_.lines = progress.lines - first_->lines;
  current_.characters = progress.characters - first_->characters;
  current_.failures = progress.failures - first_->failures;
  current_bytes_ = raw_bytes;
  const Clock::time_point now = Clock::now();
  if (io_.err_terminal) {
    bar_.Update(before_.lines + current_.lines, bytes_before_ + raw_bytes, now);
  } else if (now >= line_due_) {
    line_due_ = now + std::chrono::minutes(1);
    PrintLine(file, progress);
  }
  if (now < metrics_due_) return;
  metrics_due_ = now + std::chrono::seconds(10);
  // A disk that refuses now may take the next one. The last one counts.
  (void)WriteMetrics();
}

void CorpusReport::PrintLine(const std::string& file, const ShardProgress& progress) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double rate = static_cast<double>(before_.lines + current_.lines) / seconds;
  const int64_t bytes = bytes_before_ + current_bytes_;
  nlohmann::ordered_json line = {{"file", file},
                                 {"lines", progress.lines},
                                 {"failures", progress.failures},
                                 {"lines_per_second", JsonNumber(static_cast<float>(rate))},
                                 {"files_done", files_done_},
                                 {"files", totals_.files}};
  if (totals_.bytes > 0 && bytes > 0) {
    const double left =
        seconds * static_cast<double>(totals_.bytes - bytes) / static_cast<double>(bytes);
    line["seconds_left"] = static_cast<int64_t>(left);
  }
  io_.err << JsonLine(line) << std::endl;
}

void CorpusReport::OnFile(const std::string& file, const ShardProgress& progress, int64_t bytes,
                          bool was_done) {
  if (io_.err_terminal) bar_.Clear();
  if (was_done) {
    io_.err << absl::StrFormat("%s: is complete\n", file);
  } else {
    const double seconds = progress.seconds;
    io_.err << absl::StrFormat("%s: %d lines, %d texts, %d sent, %d failed, %.0f s, %.1f lines/s\n",
                               file, progress.lines, progress.texts, progress.sent,
                               progress.failures, seconds,
                               seconds > 0 ? static_cast<double>(progress.lines) / seconds : 0.0);
  }
  before_.lines += current_.lines;
  before_.characters += current_.characters;
  before_.failures += current_.failures;
  current_ = {};
  current_bytes_ = 0;
  first_.reset();
  ++files_done_;
  bytes_before_ += bytes;
}

absl::Status CorpusReport::WriteMetrics() const {
  if (metrics_path_.empty()) return absl::OkStatus();
  const std::string labels = shard_.empty() ? "" : absl::StrCat("{shard=\"", shard_, "\"}");
  std::string text;
  const auto add = [&](const char* name, const char* type, const char* help, int64_t value) {
    absl::StrAppend(&text, "# HELP dragoman_corpus_", name, " ", help, "\n# TYPE dragoman_corpus_",
                    name, " ", type, "\ndragoman_corpus_", name, labels, " ", value, "\n");
  };
  add("lines_total", "counter", "Lines that this run has done.", before_.lines + current_.lines);
  add("characters_total", "counter", "Characters of their texts.",
      before_.characters + current_.characters);
  add("failed_lines_total", "counter", "Lines of them that failed.",
      before_.failures + current_.failures);
  add("files_done", "gauge", "Files that are complete.", files_done_);
  add("files", "gauge", "Files of this run.", totals_.files);
  add("input_bytes_done", "gauge", "Bytes of the files that were read.",
      bytes_before_ + current_bytes_);
  add("input_bytes", "gauge", "Bytes of the files.", totals_.bytes);
  add("timestamp_seconds", "gauge", "When this was written.", std::time(nullptr));
  return ReplaceFile(metrics_path_, text);
}

}  // namespace dragoman::client
