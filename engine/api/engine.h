// The engine translates text with one model. This is the interface that the server uses.
//
// A job is one request; its texts are items. Prepare checks the job and makes its plan, Submit runs
// the plan. The items are split into segments. These are tokenised, queued, encoded, decoded in the
// running batch and joined to items again. A job is admitted completely or refused at once. An
// admitted job gets exactly one OnDone. If its status is OK, each item got exactly one OnItem
// before, with a result or an error.
//
// Thread-safe. Only ReloadGlossaries blocks. Text is UTF-8, checked by the caller. Times are
// nanoseconds of the injected clock.
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
#include "engine/api/text_format.h"
#include "engine/base/clock.h"
#include "engine/base/load_context.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

enum class Priority { kInteractive, kNormal, kBulk };

enum class SplitMode { kUnset, kNone, kSentences, kLines };

enum class OnTooLong { kSplit, kReject };

// A term: if a segment contains `source`, its translation must contain `target` (SEARCH.md a.8,
// "Glossary terms").
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
  bool partials = false;  // the growing prefixes of translations, as SegmentUpdates
  bool segments = false;  // a final SegmentUpdate for each segment; none for HTML and Markdown
  // JobTimings::segments has the times of this many segments: those that end first.
  int segment_times = 0;
};

// Says what becomes of a translation that is probably wrong. kWarn: it is returned with a warning.
// kRetry: it is searched once more, with safer options. kOff: nothing is judged or repaired. Then
// an item without letters and text that the model cannot read are translated too, and an empty
// translation stays empty.
enum class Guard { kWarn, kRetry, kOff };

struct TranslationJob {
  std::string request_id;             // for logs
  std::vector<std::string> contents;  // the items
  TextFormat format = TextFormat::kPlain;
  std::string source_language;  // as in the request; may be empty if the model has only one
  std::string target_language;
  DecodingOptions decoding;
  std::vector<std::string> target_prefixes;  // one for each item ("": none), or an empty list
  // Given translations, one for each item; empty: the items are translated. If there are any, the
  // job only scores them (SEARCH.md a.9). Then these members have an effect: the id, items,
  // languages, priority, client, share and deadline; `profile`, `penalty` and `length_penalty` of
  // `decoding`; `tokens`, `token_scores` and `segment_times` of `returns`. An item fails if it or
  // its target is too long for the model.
  std::vector<std::string> targets;
  std::vector<TermRequest> terms;
  std::string glossary;  // name of a loaded glossary; "": none
  bool glossary_ignore_case = false;
  std::vector<std::string> do_not_translate;  // source phrases that are copied as they are
  // Whether placeholders (engine/text/placeholders.h) are copied as they are; unset: not in plain
  // text.
  std::optional<bool> preserve;
  bool recase = true;  // text in capitals is translated in lower case (SEARCH.md a.8)
  Guard guard = Guard::kWarn;
  SplitMode split = SplitMode::kUnset;
  OnTooLong on_too_long = OnTooLong::kSplit;
  ReturnOptions returns;
  Priority priority = Priority::kNormal;
  // The client that sent the job. Clients are served in proportion to their shares, however much
  // each has waiting, and no client can fill the complete queue. The priority scales the share
  // (engine/schedule/fair_queue.h).
  std::string client;
  int share = 1;  // weight against other clients; the latest job of a client sets it
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

// Aligned bytes: `target` in the translation is the translation of `source` in the item.
struct AlignmentLink {
  ByteRange source;
  ByteRange target;
};

// One hypothesis of an item: rank 0 is the translation, ranks 1.. the alternatives.
struct Hypothesis {
  std::string text;
  float score = 0;     // log-prob after the length penalty; valid only for an item of one segment
  float log_prob = 0;  // sum over all segments, not normalised
  kernels::FinishReason finish_reason = kernels::FinishReason::kEos;
  std::vector<std::string> tokens;       // target pieces; if requested
  std::vector<float> token_scores;       // log-probs, that of EOS is last; if requested
  std::vector<AlignmentLink> alignment;  // ordered by target token; if requested, only for rank 0
};

// The intermediate translation of an item that is translated through a pivot language: a first
// engine translates into the pivot, a second engine from it.
struct PivotPart {
  std::string first_model;
  std::string second_model;
  std::string language;  // the pivot
  std::string text;      // in the pivot language
  // Results of the first engine's search. The rest of the ItemResult is the second engine's.
  float score = 0;
  float log_prob = 0;
  kernels::FinishReason finish_reason = kernels::FinishReason::kEos;
  // Whether the engine translated the item as one segment. If not, its search has no valid score.
  bool first_one_segment = false;
  bool second_one_segment = false;
};

enum class WarningCode {
  kOutputLimit,        // the output limit ended a segment
  kBeamTooNarrow,      // the beam is too narrow for a segment's constraints (SEARCH.md d.2)
  kNotTranslated,      // a part of the text was not translated
  kUnknownCharacters,  // the vocabulary lacks characters of the text
  kPlaceholderLost,    // the translation has a placeholder less often than the source
  kSuspicious,         // a segment's translation is probably wrong (engine/text/guard.h)
};

// A warning about a successful translation. `text` is English. It never contains a client's text.
struct Warning {
  WarningCode code = WarningCode::kOutputLimit;
  std::string text;
};

struct ItemResult {
  int index = 0;
  absl::Status status;  // if not OK, only `status` and `index` are valid
  std::vector<Hypothesis> hypotheses;
  std::vector<SentenceRange> sentences;
  std::vector<std::string> source_tokens;  // if requested
  int64_t source_token_count = 0;
  int64_t target_token_count = 0;  // of the best hypotheses, EOS included
  std::optional<uint64_t> seed;    // the seed of sampling; empty: the search did not sample
  std::optional<PivotPart> pivot;  // empty: not translated through a pivot language
  std::vector<Warning> warnings;   // at most one of each code
  // The placeholders that were kept, in the order of the source.
  std::vector<std::string> preserved;
};

struct SegmentUpdate {
  int item = 0;
  int segment = 0;
  ByteRange source;
  std::string text;  // the complete prefix so far
  bool final = false;
};

// The times at which a segment reached each stage, on the engine's clock.
struct SegmentTimes {
  int item = 0;
  int segment = 0;
  Nanos queued = 0;
  Nanos popped = 0;    // its encoder pass began
  Nanos encoded = 0;   // its encoder pass ended, and it began to wait for a slot
  Nanos admitted = 0;  // it entered the decoding batch
  Nanos decoded = 0;
  Nanos detokenized = 0;
};

// The times of a job. The durations `queue` to `detokenize` are sums over the job's segments.
// `tokenize` and `total` are durations of the complete job.
struct JobTimings {
  Nanos tokenize = 0;
  Nanos queue = 0;
  Nanos encode = 0;
  Nanos slot_wait = 0;
  Nanos decode = 0;
  Nanos detokenize = 0;
  Nanos total = 0;
  Nanos tokenized = 0;                 // the time at which tokenization ended; 0: not yet
  std::vector<SegmentTimes> segments;  // if requested, in the order in which the segments ended
};

// Receives the results of a job. Implemented by the caller of Submit.
//
// The calls for one job never overlap. They come from engine threads, possibly before Submit
// returns, and from threads that call Cancel or CancelAll. Such a thread must hold no lock that a
// callback takes. A callback must not block, and Cancel is the only engine method that it may call.
// The order of calls is any number of OnSegment and OnItem, then one OnDone. The final update of a
// segment comes before the OnItem of its item. The engine releases the sink after OnDone.
class TranslationSink {
 public:
  virtual ~TranslationSink() = default;
  virtual void OnSegment(SegmentUpdate update) = 0;
  // Called exactly once for each item of a job whose OnDone is OK.
  virtual void OnItem(ItemResult result) = 0;
  // `status` is OK, or the reason why the job ended early: CANCELLED, DEADLINE_EXCEEDED,
  // UNAVAILABLE, UNAUTHENTICATED, or INVALID_ARGUMENT for a job that is larger than the queue.
  virtual void OnDone(const absl::Status& status, const JobTimings& timings) = 0;
};

enum class RejectReason {
  kNone,
  kQueueFull,    // the queue has no room for the job's segments
  kTokenBudget,  // the queue has no room for the job's source tokens
  kClientShare,  // there is room, but the client already uses its share of the queue
  kInvalid,      // INVALID_ARGUMENT; or NOT_FOUND for an unknown glossary
  kUnsupported,
  kDraining,
  kDeadline,  // the deadline has passed, or the expected wait in the queue is longer
  // Only the server uses these:
  kRate,
  kDenied,
};

enum class CancelCause { kClient, kDeadline, kDrain, kRevoked };

using JobId = uint64_t;

struct Admission {
  absl::Status status;  // OK: admitted as `job`
  RejectReason reason = RejectReason::kNone;
  Nanos retry_after = 0;  // when to try again; only with RESOURCE_EXHAUSTED
  JobId job = 0;
};

struct LanguagePair {
  std::string source;  // "": any
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
  int max_target_tokens = 0;  // the output limit of a request that sets neither limit nor profile
  int max_rows = 0;
  int max_beam = 0;
  int default_beam = 0;
  int decoder_layers = 0;
  int decoder_heads = 0;
  Profile default_profile = Profile::kHf;
  std::vector<std::string> glossaries;  // names, sorted
  std::vector<std::string> notes;       // lines for the log about facts that the load has found
};

// The numbers of segments since the start, by outcome, and the numbers of segments that wait or run
// now. A consistent snapshot: `accepted` is the sum of all other members.
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

// The memory that the model uses on a device, in bytes.
struct DeviceMemory {
  std::string device;       // "cpu", "cuda:0"
  std::string device_name;  // the card's name, or the instruction set of the CPU
  int64_t weights = 0;
  int64_t kv = 0;  // K/V pages; like `workspace` and `kv_resident`, of all workers on the device
  int64_t workspace = 0;
  int64_t kv_resident = 0;  // the part of `kv` that takes physical memory; changes only on the host
};

struct EngineStats {
  SegmentCounts segments;
  int64_t requests_waiting = 0;  // admitted jobs of which no segment has been in a slot yet
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
  double kv_self_usage = 0;  // the part of the self-attention pages that is in use, 0..1
  double kv_cross_usage = 0;
  std::vector<DeviceMemory> memory;
  int64_t detokenize_backlog = 0;
  // Each worker has a time of its last step. This is the earliest of these times among the busy
  // workers, or the latest among all workers if none is busy.
  Nanos last_step = 0;
  bool stalled = false;  // a worker has live rows, but made no step for EngineConfig::watchdog
  int live_workers = 0;
};

// A job whose languages, options, terms and size an engine has checked. Only the engine that made
// the plan can run it.
class Plan {
 public:
  virtual ~Plan() = default;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Returns facts about the model. The reference stays valid for the engine's life. If a reload
  // changes the names of the glossaries, later calls return another object with the new
  // `glossaries`.
  virtual const ModelInfo& info() const = 0;

  // Finds the language pair of the model for two language codes of a request. Returns the codes as
  // info().pairs spells them. If the model lacks one of the codes, returns INVALID_ARGUMENT that
  // names this code and the model's languages.
  virtual absl::StatusOr<LanguagePair> FindLanguages(std::string_view source,
                                                     std::string_view target) const = 0;

  // Makes the plan of a job. Reserves nothing. Never returns nullptr. Returns INVALID_ARGUMENT with
  // FieldErrors for a wrong request, and NOT_FOUND for an unknown glossary.
  virtual absl::StatusOr<std::unique_ptr<Plan>> Prepare(TranslationJob job) = 0;

  // Admits the job of a plan or refuses it. Refuses it with RESOURCE_EXHAUSTED and retry_after if
  // the queue has no room, with UNAVAILABLE if the engine drains or no worker is left, and with
  // DEADLINE_EXCEEDED if its deadline cannot be met. Reserves queue capacity for an estimate of the
  // job's tokens, because the text is not tokenised yet. Calls the sink only for an admitted job.
  // REQUIRES: Prepare of this engine made the plan.
  virtual Admission Submit(std::unique_ptr<Plan> plan, std::shared_ptr<TranslationSink> sink) = 0;

  // Prepares and submits a job. If Prepare returns an error, the job is refused with it and with
  // kInvalid.
  Admission Translate(TranslationJob job, std::shared_ptr<TranslationSink> sink);

  // Ends a job early. The next step frees its rows in the batch; on a GPU, the step after the next
  // one does. OnDone gets the status of the cause. Has no effect on a job that has ended.
  virtual void Cancel(JobId job, CancelCause cause) = 0;

  // Returns the number of admitted jobs whose OnDone has not returned yet.
  virtual int64_t jobs_in_flight() const = 0;

  // Ends every job in flight as Cancel does.
  virtual void CancelAll(CancelCause cause) = 0;

  virtual EngineStats Stats() const = 0;

  // Loads the glossaries in EngineConfig::glossary_directory again. If one is wrong, returns an
  // error that names the file and line, and changes nothing. Admitted jobs keep the old glossaries.
  // May block for a long time. Borrows `load` for the call; it may be nullptr. `load` counts the
  // memory of the new glossaries in addition to that of the old ones. Returns CANCELLED if `load`
  // is stopped.
  virtual absl::Status ReloadGlossaries(LoadContext* load) = 0;
};

inline Admission Engine::Translate(TranslationJob job, std::shared_ptr<TranslationSink> sink) {
  absl::StatusOr<std::unique_ptr<Plan>> plan = Prepare(std::move(job));
  if (!plan.ok()) return {plan.status(), RejectReason::kInvalid};
  return Submit(*std::move(plan), std::move(sink));
}

}  // namespace dragoman::engine
