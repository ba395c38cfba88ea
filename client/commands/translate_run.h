// Translates lines: many in flight, results in the order of the input.
//
// One thread owns all the state; gRPC's threads only put events into its mailbox. Bounded: at most
// `concurrency` calls of `batch` lines are in flight, and four times as many lines are held, or as
// many as have kWindowBytes (and one block of input, and one line, more).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "client/commands/line_source.h"
#include "client/translation_client.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

struct TranslateRunOptions {
  // All but the contents.
  v1::TranslateRequest request;
  int concurrency = 16;
  // Lines per call, fewer where they are long (kBatchBytes) or not there yet.
  int batch = 16;
  // Lines of the input before the first that is translated.
  int64_t skip = 0;
  // Use StreamTranslate. Partials come if the request asks for them.
  bool stream = false;
  // How the translations start: of every line, or of line n with the nth of a list. A line beyond
  // the list fails.
  std::string target_prefix;
  std::optional<std::vector<std::string>> target_prefixes;

  static constexpr size_t kBatchBytes = 16 << 10;
  static constexpr size_t kWindowBytes = 32 << 20;
};

struct LineResult {
  // The line itself, valid while the sink is called.
  std::string_view source;
  // The outcome of this line.
  absl::Status status;
  // An empty line: never sent, OK, without a translation.
  bool empty = false;
  // Set if the status is OK.
  v1::Translation translation;
  int64_t source_bytes = 0;
};

// Where results go. Called by the thread of RunTranslate.
class LineSink {
 public:
  virtual ~LineSink() = default;
  // Once for every line of the input, in order; lines count from 1.
  virtual void OnLine(int64_t number, const LineResult& result) = 0;
  // The text known so far of the first line that is not done.
  virtual void OnPartial(int64_t number, const std::string& text) = 0;
  // After a group of the above, and every 100 ms if WantsTicks.
  virtual void OnIdle() = 0;
  virtual bool WantsTicks() const = 0;
};

// Returns when every line has gone to the sink. Failed lines are the sink's to report; the status
// is that of reading the input: INVALID_ARGUMENT if it has fewer lines than are to be skipped.
//
// A call that is refused as INVALID_ARGUMENT, or for its size, is tried again line by line, because
// one bad line makes it fail; a long line is sent alone from the start. After a refusal that will
// not change (no such model, no right, a feature that is not there) or a server that is gone,
// nothing more is sent, and the other lines fail likewise.
absl::Status RunTranslate(const TranslateRunOptions& options, TranslationClient* client,
                          LineSource* source, LineSink* sink);

}  // namespace dragoman::client
