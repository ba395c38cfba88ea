// Says how far a corpus run is: a bar on a terminal or a JSON line a minute, and a file of metrics
// for node_exporter's textfile collector.
//
// Not thread-safe. Borrows the streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "client/commands/command.h"
#include "client/commands/line_printer.h"
#include "client/corpus/shard_output.h"

namespace dragoman::client {

class CorpusReport {
 public:
  struct Totals {
    int64_t files = 0;
    int64_t bytes = 0;  // of the files; 0: unknown
  };

  // `shard` is "I/N" or "". An empty `metrics_path` means no file.
  CorpusReport(const Io& io, const Totals& totals, std::string shard, std::string metrics_path);

  // Called as often as the caller likes, with what is done of the current file.
  void OnProgress(const std::string& file, const ShardProgress& progress, int64_t raw_bytes);
  // Called when a file is complete. `was_done`: an earlier run has done it. `bytes` is its size.
  void OnFile(const std::string& file, const ShardProgress& progress, int64_t bytes, bool was_done);
  // Writes the metrics. Call it at the end of the run, too. Returns UNAVAILABLE if the disk refuses.
  absl::Status WriteMetrics() const;

 private:
  using Clock = std::chrono::steady_clock;

  void PrintLine(const std::string& file, const ShardProgress& progress);

  const Io& io_;
  const Totals totals_;
  const std::string shard_;
  const std::string metrics_path_;
  const Clock::time_point begin_ = Clock::now();
  Progress bar_;
  Clock::time_point line_due_ = begin_ + std::chrono::minutes(1);
  Clock::time_point metrics_due_ = begin_;

  // The sums of this run over the files before the current one.
  int64_t files_done_ = 0;
  int64_t bytes_before_ = 0;
  ShardProgress before_;
  // The first report of the current file, which has what an earlier run did.
  std::optional<ShardProgress> first_;
  ShardProgress current_;  // of this run
  int64_t current_bytes_ = 0;
};

}  // namespace dragoman::client
