// Translates or scores the records of one file into one output.
//
// Not thread-safe. A shard is the source and the sink of a run (translate_run.h): it reads records,
// gives their texts to the run, each text of the latest kMemoryBytes once, and writes a record when
// all its texts have results.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/commands/translate_run.h"
#include "client/corpus/compressed_file.h"
#include "client/corpus/record_format.h"
#include "client/corpus/shard_output.h"
#include "client/translation_client.h"

namespace dragoman::client {

struct ShardOptions {
  // The size of the memory in which repeated texts find their results.
  static constexpr size_t kMemoryBytes = 64 << 20;
  // A block is written when it has so many lines or bytes, or is so old.
  static constexpr int64_t kBlockLines = 20'000;
  static constexpr size_t kBlockBytes = 4 << 20;
  static constexpr std::chrono::seconds kBlockAge{10};

  TranslateRunOptions run;
  std::vector<Column> columns;
  // Whether equal texts have equal results, so that each is sent once.
  bool reuses_results = true;
  // The number of lines that may fail. Such a line has no translation in the output.
  int64_t max_failed = 0;
};

struct ShardInput {
  std::string name;  // for messages, and in the manifest
  int fd = -1;       // borrowed
  bool is_file = true;
  Compression compression = Compression::kNone;
  Compression output_compression = Compression::kNone;
};

// Called with what is done of the shard and about how many bytes of the file that is.
using OnShardProgress = std::function<void(const ShardProgress& progress, int64_t raw_bytes)>;

// Returns the server's models.
using ListIdentities = std::function<absl::StatusOr<ModelIdentities>()>;

// Returns when the output is complete or the shard has failed. `models` are the
// server's; those that answer become part of the manifest. Errors:
//
//   DATA_LOSS    the input is damaged, or more lines failed than allowed; the message names file
//                and line
//   UNAVAILABLE  the server or the disk cannot do it now, or a model has changed since `models`
//                was asked; another run continues or begins again
//   others       the server refuses all such calls
//
// Failed lines that are allowed are reported on `err`, the first ones only.
absl::Status TranslateShard(const ShardOptions& options, const ShardInput& input,
                            const RecordFormat& format, const ModelIdentities& models,
                            TranslationClient* client, ShardOutput* output,
                            const OnShardProgress& on_progress, const ListIdentities& list_models,
                            std::ostream* err);

}  // namespace dragoman::client
