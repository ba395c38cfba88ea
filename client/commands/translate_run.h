// Translates or scores texts with many calls in flight. The sink gets the results in the order of
// the source.
//
// One thread owns all the state and calls the source and the sink. gRPC's threads only put events into its mailbox. At most
// `concurrency` calls of at most `batch` lines are in flight. At most four times as many lines are
// buffered. No more lines are read while the buffered lines have kWindowBytes or more. A "line" is a
// text of the source: a line of a file, all of it, or a field of a record.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "client/translation_client.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

struct TextItem {
  std::string text;
  // In a run that scores, the given translation.
  std::string target;
};

// Where the texts of a run come from.
class TextSource {
 public:
  // The run fails a text that is longer with INVALID_ARGUMENT and does not send it. Far above any
  // server's default limit (30,000 code points).
  static constexpr size_t kMaxTextBytes = size_t{16} << 20;

  virtual ~TextSource() = default;
  // Appends the texts that are there, which may be none. Blocks if nothing is readable. After an
  // error, ended() is true.
  virtual absl::Status Read(std::deque<TextItem>* items) = 0;
  virtual bool ended() const = 0;
  // A descriptor that is readable when Read would not block.
  virtual int fd() const = 0;
  // Reports whether Read would not block although fd() is not readable.
  virtual bool has_buffered() const { return false; }
  // Reports whether the run must not call Read before the sink has taken more results.
  virtual bool is_full() const { return false; }
};

struct TranslateRunOptions {
  // The request for all lines, without contents.
  v1::TranslateRequest request;
  // If set, the run scores pairs with this request (without pairs) instead of translating.
  std::optional<v1::ScoreRequest> score;
  int concurrency = 16;
  // The maximum number of lines per call. A call has fewer if the lines are long (kBatchBytes) or
  // not yet read.
  int batch = 16;
  // The number of lines at the beginning of the input to skip.
  int64_t skip = 0;
  // Whether to use StreamTranslate. Partials arrive if the request asks for them.
  bool stream = false;
  // target_prefix is the prefix of every translation. If target_prefixes is set, its nth element is
  // the prefix of line n instead, and a line beyond the list fails.
  std::string target_prefix;
  std::optional<std::vector<std::string>> target_prefixes;

  static constexpr size_t kBatchBytes = 16 << 10;
  static constexpr size_t kWindowBytes = 32 << 20;
};

struct LineResult {
  // The line itself. Valid only during the call of the sink.
  std::string_view source;
  absl::Status status;
  // Whether the line is empty. Empty lines are not sent: their status is OK, and they have no
  // translation.
  bool empty = false;
  // One of these is set if the status is OK.
  v1::Translation translation;
  v1::PairScore score;
  std::string score_model;  // that gave the score
  int64_t source_bytes = 0;
};

// Where the results of a run go.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  // Called once for every line of the source, in order. Lines count from 1, or from skip + 1. The
  // sink may move from the result.
  virtual void OnLine(int64_t number, LineResult* result) = 0;
  // Called with the known part of the first unfinished line's translation.
  virtual void OnPartial(int64_t, const std::string&) {}
  // Called after a group of these calls, and every 100 ms if WantsTicks.
  virtual void OnIdle() {}
  virtual bool WantsTicks() const { return false; }
  // Reports whether the run shall end now. It then cancels the calls in flight and reads no more.
  virtual bool stopped() const { return false; }
};

// Returns when the sink has received every line, or has stopped the run. The sink reports failed
// lines; the status is that of reading the source. INVALID_ARGUMENT if it has fewer lines than
// `skip`.
//
// If a call fails with INVALID_ARGUMENT or because of its size, its lines are sent again one by
// one, because a single bad line makes the complete call fail. A long line is always sent alone. If
// all lines would fail (unknown model, no permission, missing feature, no server), no more calls
// are sent and the remaining lines fail with the same error.
absl::Status RunTranslate(const TranslateRunOptions& options, TranslationClient* client,
                          TextSource* source, ResultSink* sink);

}  // namespace dragoman::client
