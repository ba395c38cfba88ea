// Translates lines with many calls in flight. The sink gets the results in the order of the input.
//
// One thread owns all the state. gRPC's threads only put events into its mailbox. At most
// `concurrency` calls of at most `batch` lines are in flight. At most four times as many lines are
// buffered. No more lines are read while the buffered lines have kWindowBytes or more.
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
  // The request for all lines, without contents.
  v1::TranslateRequest request;
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
  // The line itself. Valid only during the call of the printer.
  std::string_view source;
  absl::Status status;
  // Whether the line is empty. Empty lines are not sent: their status is OK, and they have no
  // translation.
  bool empty = false;
  // Set if the status is OK.
  v1::Translation translation;
  int64_t source_bytes = 0;
};

// Returns when `printer` has received every line. It reports failed lines; the status is that of
// reading the input. INVALID_ARGUMENT if the input has fewer lines than `skip`.
//
// If a call fails with INVALID_ARGUMENT or because of its size, its lines are sent again one by
// one, because a single bad line makes the complete call fail. A long line is always sent alone. If
// all lines would fail (unknown model, no permission, missing feature, no server), no more calls
// are sent and the remaining lines fail with the same error.
absl::Status RunTranslate(const TranslateRunOptions& options, TranslationClient* client,
                          LineSource* source, LinePrinter* printer);

}  // namespace dragoman::client
