// Translates lines with many calls in flight. Results come in the order of the input.
//
// One thread owns all the state. gRPC's threads only put events into its mailbox. At most
// `concurrency` calls of `batch` lines are in flight. Buffers at most four times as many lines, or
// lines of kWindowBytes in total (plus one block of input and one line).
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

class LinePrinter;

struct TranslateRunOptions {
  // All but the contents.
  v1::TranslateRequest request;
  int concurrency = 16;
  // Lines per call; fewer if the lines are long (kBatchBytes) or not yet read.
  int batch = 16;
  // Lines of the input to skip.
  int64_t skip = 0;
  // Use StreamTranslate. Partials arrive if the request asks for them.
  bool stream = false;
  // The prefix of every translation, or of line n the nth of a list. A line beyond the list fails.
  std::string target_prefix;
  std::optional<std::vector<std::string>> target_prefixes;

  static constexpr size_t kBatchBytes = 16 << 10;
  static constexpr size_t kWindowBytes = 32 << 20;
};

struct LineResult {
  // The line itself. Valid only during the call of the printer.
  std::string_view source;
  absl::Status status;
  // An empty line is never sent. Its status is OK and it has no translation.
  bool empty = false;
  // Set if the status is OK.
  v1::Translation translation;
  int64_t source_bytes = 0;
};

// Returns when `printer` has received every line. It reports failed lines; the status is that of
// reading the input. INVALID_ARGUMENT if the input has fewer lines than `skip`.
//
// A call refused as INVALID_ARGUMENT, or for its size, is retried line by line, because one bad
// line makes the whole call fail. A long line is always sent alone. After a permanent refusal
// (unknown model, no permission, missing feature) or if the server is gone, no more calls are sent
// and the other lines fail with the same error.
absl::Status RunTranslate(const TranslateRunOptions& options, TranslationClient* client,
                          LineSource* source, LinePrinter* printer);

}  // namespace dragoman::client
