// The engine: text in, text out, for one model. All that the server sees of it.
//
// A job is one request: its items are split into segments, tokenised, queued, encoded, decoded in
// the running batch and put together again. Admission is whole or not at all, at once; what was
// admitted is answered exactly once, by a result or a status per item and one OnDone per job.
//
// Thread-safety: every method may be called from any thread, none of them blocks. Text is UTF-8 and
// checked by the caller. Times are nanoseconds of the injected clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/decoding_options.h"
#include "engine/base/clock.h"
#include "engine/base/load_context.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

enum class Priority { kInteractive, kNormal, kBulk };

enum class SplitMode { kUnset, kNone, kSentences, kLines };

enum class OnTooLong { kSplit, kReject };

// A source phrase and what its translation must contain (SEARCH.md a.8, "Glossary terms").
struct TermRequest {
  std::string source;
  std::string target;
  bool ignore_case = false;
};

struct ReturnOptions {
  bool scores = false;
  bool tokens = false;
  bool token_scores = false;
  bool alignment = false;
  bool partials = false;  // growing prefixes as segment updates
  bool segments = false;  // final segment updates as each finishes (StreamTranslate); none of HTML
  int segment_times = 0;  // segments, the first to end, of which JobTimings has the times; >= 0
};

// Two languages as an engine has resolved their codes. Only the engine that made it reads it.
// Immutable.
class ResolvedLanguages {
 public:
  virtual ~ResolvedLanguages() = default;
};

struct TranslationJob {
  std::string request_id;             // for logs
  std::vector<std::string> contents;  // the items
  bool html = false;                  // items are HTML, and their tags survive
  std::string source_language;        // as on the wire; may be empty where the model has one
  std::string target_language;
  // The result of ResolveLanguages, of the engine that gets the job; nullptr: Submit resolves them.
  // Shared, because a router asks before there is a job, and a pivot's jobs need the parts.
  std::shared_ptr<const ResolvedLanguages> languages;
  DecodingOptions decoding;
  std::vector<std::string> target_prefixes;  // by item, "" = none; empty or as many as items
  std::vector<TermRequest> terms;
  std::string glossary;  // name of a loaded one, "" = none
  bool glossary_ignore_case = false;
  std::vector<std::string> do_not_translate;  // phrases that come back as they are
  SplitMode split = SplitMode::kUnset;
  OnTooLong on_too_long = OnTooLong::kSplit;
  ReturnOptions returns;
  Priority priority = Priority::kNormal;
  // Whose job it is. Clients are served in proportion to their shares, however much each has
  // waiting, and none takes the whole queue; jobs with the same name are of one client. The
  // priority weighs the share (FairQueue).
  std::string client;
  int share = 1;  // against those of others; the last job's counts
  Nanos deadline = kNoDeadline;
};

struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
};

struct SentenceRange {
  ByteRange source;
  ByteRange target;
};

// Bytes of the translation, and the bytes of the item that they came from.
struct AlignmentLink {
  ByteRange source;
  ByteRange target;
};

// One hypothesis of an item: rank 0 is the translation, ranks 1.. the alternatives.
struct Hypothesis {
  std::string text;
  float score = 0;     // normalised; of the best hypothesis of a single segment
  float log_prob = 0;  // raw sum, over all segments
  kernels::FinishReason finish_reason = kernels::FinishReason::kEos;
  std::vector<std::string> tokens;       // target pieces, when asked for
  std::vector<float> token_scores;       // log-probs, EOS's last; when asked for
  std::vector<AlignmentLink> alignment;  // by target token; when asked for, of rank 0
};

// The result of the first engine for an item that is translated through a pivot language.
struct PivotPart {
  std::string first_model;
  std::string second_model;
  std::string language;  // between them
  std::string text;
  // Scores of the first engine's search; the rest of the result is the second's.
  float score = 0;
  float log_prob = 0;
  kernels::FinishReason finish_reason = kernels::FinishReason::kEos;
  // Whether each of them took the item as one segment: else it has no score.
  bool first_one_segment = false;
  bool second_one_segment = false;
};

enum class WarningCode {
  kOutputLimit,        // the output limit ended a segment
  kBeamTooNarrow,      // the beam has fewer places than a segment's constraints have banks
  kNotTranslated,      // a part of the text came back as it was
  kUnknownCharacters,  // the vocabulary lacks characters of the text
};

// Something that the client should know about a translation that succeeded. `text` is English with
// the numbers, and never has a client's text.
struct Warning {
  WarningCode code = WarningCode::kOutputLimit;
  std::string text;
};

struct ItemResult {
  int index = 0;
  absl::Status status;  // not OK: only `index` holds besides
  std::vector<Hypothesis> hypotheses;
  std::vector<SentenceRange> sentences;
  std::vector<std::string> source_tokens;  // when asked for
  int64_t source_token_count = 0;
  int64_t target_token_count = 0;  // of the best hypotheses, EOS included
  std::optional<uint64_t> seed;    // of sampling
  std::optional<PivotPart> pivot;  // of a translation over a pivot language
  std::vector<Warning> warnings;   // at most one of each code
};

struct SegmentUpdate {
  int item = 0;
  int segment = 0;
  ByteRange source;
  std::string text;  // the whole prefix so far
  bool final = false;
};

// When a segment was where, on the engine's clock.
struct SegmentTimes {
  int item = 0;
  int segment = 0;
  Nanos queued = 0;
  Nanos popped = 0;    // by an encoder
  Nanos encoded = 0;   // waits for a slot
  Nanos admitted = 0;  // to the decoding batch
  Nanos decoded = 0;
  Nanos detokenized = 0;
};

// Sums over the job's segments, but total, which is the job's own.
struct JobTimings {
  Nanos tokenize = 0;
  Nanos queue = 0;
  Nanos encode = 0;
  Nanos slot_wait = 0;
  Nanos decode = 0;
  Nanos detokenize = 0;
  Nanos total = 0;
  Nanos tokenized = 0;                 // when it was; 0: not yet
  std::vector<SegmentTimes> segments;  // when asked for, in the order in which they ended
};

// The callbacks to a job's owner. Calls for one job never overlap and must not block; of the engine
// they may call Cancel. They come from engine threads, also before Submit has returned, and from
// the callers of Cancel and CancelAll before those return: hold no lock there that the callbacks
// take. Order: any number of OnSegment and OnItem (a segment's final before its item), then OnDone
// once, after which the sink is let go.
class TranslationSink {
 public:
  virtual ~TranslationSink() = default;
  virtual void OnSegment(SegmentUpdate update) = 0;
  // Exactly once for each item of a job whose OnDone is OK.
  virtual void OnItem(ItemResult result) = 0;
  // OK, or why the whole job ended: CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE, INTERNAL.
  virtual void OnDone(const absl::Status& status, const JobTimings& timings) = 0;
};

enum class RejectReason {
  kNone,
  kQueueFull,
  kTokenBudget,
  kClientShare,  // there is room, but it is not for a client that has so much waiting
  kTooLarge,     // larger than the whole capacity: not retryable
  kInvalid,      // of an unknown glossary, too: its status is NOT_FOUND
  kUnsupported,
  kDraining,
  kDeadline,  // over, or shorter than the wait
  // The server's own, of those that it lets in:
  kRate,
  kDenied,
};

enum class CancelCause { kClient, kDeadline, kDrain, kRevoked };

using JobId = uint64_t;

struct Admission {
  absl::Status status;  // OK: admitted as `job`
  RejectReason reason = RejectReason::kNone;
  Nanos retry_after = 0;  // a hint, with RESOURCE_EXHAUSTED
  JobId job = 0;
};

struct LanguagePair {
  std::string source;  // "" = any
  std::string target;
};

struct ModelInfo {
  std::string name;
  std::string family;
  std::string device;        // "cpu", "cuda:0", "cuda:0,cuda:1"
  std::string compute_type;  // "float32"
  std::vector<LanguagePair> pairs;
  int source_vocabulary = 0;
  int target_vocabulary = 0;
  int64_t parameters = 0;
  int max_source_tokens = 0;
  int max_target_tokens = 0;  // of a request that sets no limit and no profile
  int max_rows = 0;
  int max_beam = 0;
  int default_beam = 0;
  int decoder_layers = 0;
  int decoder_heads = 0;
  Profile default_profile = Profile::kHf;
  std::vector<std::string> glossaries;  // names, sorted
  std::vector<std::string> notes;       // what loading found that a log should say: lines
};

// One consistent picture: accepted == sum of outcomes + waiting + running.
struct SegmentCounts {
  int64_t accepted = 0;
  int64_t eos = 0;
  int64_t length = 0;
  int64_t constraints_unmet = 0;
  int64_t no_output = 0;
  int64_t cancelled = 0;
  int64_t deadline = 0;
  int64_t error = 0;
  int64_t waiting = 0;
  int64_t running = 0;
};

// The memory that the model holds on a device. Bytes.
struct DeviceMemory {
  std::string device;       // "cpu", "cuda:0"
  std::string device_name;  // "" or the card's
  int64_t weights = 0;
  int64_t kv = 0;  // of all its workers, and so:
  int64_t workspace = 0;
  int64_t kv_resident = 0;  // of kv, what is there now; on the host it comes and goes with use
};

struct EngineStats {
  SegmentCounts segments;
  int64_t requests_waiting = 0;  // admitted, nothing of it decoding yet
  int64_t requests_running = 0;
  int64_t queue_segments = 0;
  int64_t queue_tokens = 0;
  int64_t queue_segment_capacity = 0;
  int64_t queue_token_capacity = 0;
  Nanos queue_oldest_age = 0;
  int64_t encoded_segments = 0;
  int64_t encoded_tokens = 0;
  int64_t encoded_segment_capacity = 0;
  Nanos encoded_oldest_age = 0;
  int64_t rows = 0;
  int64_t row_capacity = 0;
  double kv_self_usage = 0;  // share of the pages in use, 0..1
  double kv_cross_usage = 0;
  std::vector<DeviceMemory> memory;
  int64_t detokenize_backlog = 0;
  Nanos last_step = 0;   // clock time of the latest decode step; of the busy worker furthest behind
  bool stalled = false;  // a worker has busy rows and made no step for the watchdog time
  int live_workers = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Facts about the model. The reference stays valid for the engine's life, and its content true
  // but for `glossaries`: after a reload that changes their names the function returns another
  // object.
  virtual const ModelInfo& info() const = 0;

  // Finds the languages, written as in a job, among those that the model translates between; never
  // nullptr. INVALID_ARGUMENT names the code that does not fit and what the model has.
  virtual absl::StatusOr<std::shared_ptr<const ResolvedLanguages>> ResolveLanguages(
      std::string_view source, std::string_view target) const = 0;

  // Checks the options, reserves capacity by code points and takes the job, or refuses it whole:
  // INVALID_ARGUMENT, NOT_FOUND (glossary), RESOURCE_EXHAUSTED (with retry_after), UNAVAILABLE
  // (draining), DEADLINE_EXCEEDED. The sink is called only for an admitted job.
  virtual Admission Submit(TranslationJob job, std::shared_ptr<TranslationSink> sink) = 0;

  // Ends a job early; its rows are free at the next step. OnDone follows with CANCELLED,
  // DEADLINE_EXCEEDED or UNAVAILABLE by the cause. No effect on a job that has ended.
  virtual void Cancel(JobId job, CancelCause cause) = 0;

  // From now on Submit answers UNAVAILABLE; what was admitted goes on.
  virtual void StopAdmission() = 0;

  // Jobs admitted whose OnDone has not returned yet.
  virtual int64_t jobs_in_flight() const = 0;

  // Ends every job in flight as Cancel does.
  virtual void CancelAll(CancelCause cause) = 0;

  virtual EngineStats Stats() const = 0;

  // Loads the glossaries of the engine's directory again. An error names the file and line and
  // changes nothing; jobs that were admitted keep what they had. `load`, which may be nullptr, is
  // borrowed for the call: its memory counts what the new ones take beside the old, and CANCELLED
  // follows its stop. Takes as long as it takes.
  virtual absl::Status ReloadGlossaries(LoadContext* load) = 0;
};

}  // namespace dragoman::engine
