#include "server/call/jobs/job_runner.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/thread_name.h"
#include "engine/base/utf8.h"
#include "engine/documents/document.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/call/call_id.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/call/request_parser.h"
#include "server/call/rpc_status.h"
#include "server/call/unary_translation.h"
#include "server/call/violations.h"
#include "server/models/model_router.h"

namespace dragoman::server {
namespace {

using engine::Document;
using engine::DocumentFormat;
using engine::DocumentOptions;
using engine::DocumentText;

// One of the two threads runs small documents only, so that they do not wait for a large one.
constexpr int64_t kSmallDocument = 256 << 10;
constexpr int64_t kSmallText = 4 << 20;
// A large document may have half of its bytes as text; the rest of an archive is pictures. A text of
// it has at least this many bytes on average.
constexpr int64_t kBytesPerText = 64;
// The memory for a byte of a document: its own and that of the result. The memory for a byte of
// text besides: unpacked, as texts, as translations, and written. The memory for a text besides.
constexpr int64_t kMemoryPerByte = 2;
constexpr int64_t kMemoryPerTextByte = 5;
constexpr int64_t kMemoryPerText = 200;

int64_t MaxText(int64_t max_job_bytes) { return std::max(kSmallText, max_job_bytes / 2); }

// A job keeps this many texts in the engine for each CPU or GPU. A call has a quarter of them. With
// 16 texts for each CPU the engine reaches 85 % of its throughput, and new calls wait little. After
// a call that is not BULK, the job uses only an eighth of its room.
constexpr size_t kTextsPerCpu = 16;
constexpr size_t kTextsPerGpu = 256;
constexpr size_t kBesideOthers = 8;
constexpr int64_t kCodePointsOfAText = 128;
// The job uses all of its room again if there was no such call for this time.
constexpr engine::Nanos kOthersAreGone = 10 * kNanosPerSecond;
// A call of a job may wait as long as this in the queue.
constexpr engine::Nanos kLongestCall = 3600 * kNanosPerSecond;
// A job ends if this many of its first texts have failed and none has not.
constexpr int64_t kMostFirstFailures = 20;
constexpr int64_t kFirstWaitMs = 100;
constexpr int64_t kLongestWaitMs = 10'000;
// How often jobs that have expired are deleted.
constexpr int64_t kSweepMs = 60'000;

// The transport of a call that the server makes itself. Keeps itself alive until the call ends.
class PartCall final : public UnaryTransport, public std::enable_shared_from_this<PartCall> {
 public:
  // Called once, from any thread.
  using Done = std::function<void(const absl::Status& status, v1::TranslateResponse answer)>;

  static void Start(const CallContext* context, CallHead head, v1::TranslateRequest request,
                    Done done) {
    auto part = std::make_shared<PartCall>(std::move(done));
    part->self_ = part;
    // Finish may come before HandleRequest returns.
    const auto call = std::make_shared<UnaryTranslation>(context, RpcMethod::kRunJob,
                                                         std::move(head), part.get());
    part->call_ = call;
    call->HandleRequest(
        ReadTranslateRequest(std::move(request), context->limits, CallKind::kUnary));
  }

  explicit PartCall(Done done) : done_(std::move(done)) {}

 private:
  void AnnounceRequestId(const std::string& /*request_id*/) override {}
  absl::Status SetAnswer(const v1::TranslateResponse& answer) override {
    answer_ = answer;
    return absl::OkStatus();
  }
  void Finish(const absl::Status& status) override {
    const std::shared_ptr<PartCall> self = std::move(self_);
    done_(status, std::move(answer_));
    call_.reset();
  }

  const Done done_;
  std::shared_ptr<UnaryTranslation> call_;  // shared with the engine
  v1::TranslateResponse answer_;
  std::shared_ptr<PartCall> self_;  // until Finish
};

bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status) ||
         absl::IsDeadlineExceeded(status);
}

// A document that another thread can read, which may read larger ones.
absl::Status TooLarge() { return absl::AbortedError("the document is large"); }

DocumentOptions OptionsOf(const v1::CreateJobRequest& request, const CallContext& context,
                          int64_t max_text) {
  DocumentOptions options;
  options.max_bytes = max_text;
  options.max_texts = max_text / kBytesPerText;
  options.fields.assign(request.fields().begin(), request.fields().end());
  options.retranslate = request.retranslate();
  options.target_language = request.request().target_language_code();
  options.max_text_bytes = std::min(options.max_text_bytes, context.limits.max_code_points);
  return options;
}

}  // namespace

// One job while it runs. Used by one thread, except that calls report their end on others.
class JobRunner::Run {
 public:
  Run(JobRunner* runner, JobStore::Work work, const Share& share)
      : runner_(*runner), work_(std::move(work)), share_(share) {}

  // Returns OK if the job has ended, NOT_FOUND if it was deleted, CANCELLED at the end of the
  // process, or ABORTED if the document is too large for this thread.
  absl::Status Do();

 private:
  struct Part {
    std::vector<size_t> texts;
    absl::Status status;
    v1::TranslateResponse answer;
  };
  // The calls that have ended. Shared with them.
  struct Ended {
    engine::Mutex mu;
    engine::CondVar changed;
    std::deque<Part> parts ABSL_GUARDED_BY(mu);
  };

  absl::Status Translate();
  // Returns the texts of the next call, which fit into `room`; none if there is no room for them.
  // If the job has no call, its next text fits.
  std::vector<size_t> NextTexts(size_t room);
  // Returns the room that a text takes: that of a sentence, or of several if it is long.
  size_t RoomFor(size_t text) const;
  void Start(std::vector<size_t> texts);
  Part TakeEnded();
  absl::Status Take(Part part);
  // Writes the translations that are complete from the beginning.
  absl::Status Flush();
  absl::Status Report();
  // Repeats `action` while the disk is full.
  absl::Status Patiently(const std::function<absl::Status()>& action);

  JobRunner& runner_;
  const JobStore::Work work_;
  const Share share_;
  std::unique_ptr<Document> document_;
  std::vector<std::optional<std::string>> translations_;
  std::vector<bool> is_done_;
  std::vector<size_t> twins_;  // the first text that equals this one, or the text itself
  size_t next_ = 0;            // the first text that was not given to a call
  size_t flushed_ = 0;         // the translations that are kept
  std::deque<std::vector<size_t>> again_;  // texts of calls that are repeated
  size_t in_flight_ = 0;                   // calls
  size_t used_ = 0;                        // the room that their texts take
  int64_t wait_ms_ = 0;                    // before the next call, because the server had no room
  int64_t translated_ = 0;
  int64_t failed_ = 0;
  absl::Status first_error_;  // of a text
  bool has_success_ = false;  // some text has not failed
  int64_t code_points_ = 0;
  std::shared_ptr<Grant> grant_;
  const std::shared_ptr<Ended> ended_ = std::make_shared<Ended>();
};

absl::Status JobRunner::Run::Patiently(const std::function<absl::Status()>& action) {
  for (int64_t wait = kFirstWaitMs;; wait = std::min(2 * wait, kLongestWaitMs)) {
    absl::Status done = action();
    if (!absl::IsResourceExhausted(done)) return done;
    Log(LogLevel::kWarn, "a job waits for the disk", {{"error", std::string(done.message())}});
    if (!runner_.Sleep(wait)) return absl::CancelledError("the process ends");
  }
}

absl::Status JobRunner::Run::Do() {
  const std::string& id = work_.id;
  const auto fail = [&](const absl::Status& error) {
    return Patiently([&] { return runner_.store_->Fail(id, error); });
  };
  absl::StatusOr<std::string> bytes = runner_.store_->Document(id);
  if (!bytes.ok()) return bytes.status();
  if (runner_.keys_ != nullptr) {
    grant_ = runner_.keys_->GrantOf(work_.owner);
    if (grant_ == nullptr) {
      return fail(absl::UnauthenticatedError("the client of this job has no key any more"));
    }
  }
  const DocumentFormat* const format = engine::FindDocumentFormat(work_.request.format());
  if (format == nullptr) return fail(absl::InternalError("the format of the job is unknown"));
  auto read = engine::ReadDocumentAs(*format, *std::move(bytes),
                                     OptionsOf(work_.request, *runner_.context_, share_.max_text));
  if (!read.ok() && share_.max_size == kSmallDocument) return TooLarge();
  if (!read.ok()) return fail(absl::InvalidArgumentError(read.status().message()));
  document_ = *std::move(read);

  absl::StatusOr<std::vector<std::optional<std::string>>> kept = runner_.store_->Parts(id);
  if (!kept.ok()) return kept.status();
  translations_.resize(document_->texts().size());
  is_done_.resize(translations_.size());
  // Another version of this program may have cut the document into other texts.
  if (kept->size() > translations_.size()) kept->clear();
  for (; flushed_ < kept->size(); ++flushed_) {
    translations_[flushed_] = std::move((*kept)[flushed_]);
    has_success_ = has_success_ || translations_[flushed_].has_value();
    is_done_[flushed_] = true;
    ++translated_;
    code_points_ += engine::CountCodePoints(document_->texts()[flushed_].text);
  }
  next_ = flushed_;
  const absl::Status translated = Translate();
  if (!translated.ok()) {
    const bool has_ended = absl::IsCancelled(translated) || absl::IsNotFound(translated);
    return has_ended ? translated : fail(translated);
  }
  const absl::StatusOr<std::string> written = document_->Write(translations_);
  if (!written.ok()) return fail(written.status());
  return Patiently([&] { return runner_.store_->Finish(id, *written); });
}

absl::Status JobRunner::Run::Translate() {
  const std::vector<DocumentText>& texts = document_->texts();
  const bool draws = work_.request.request().decoding().has_sampling();
  std::unordered_map<std::string_view, size_t> first;
  twins_.resize(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    twins_[i] = draws ? i : first.emplace(texts[i].text, i).first->second;
  }
  first.clear();
  absl::Status status = Report();
  while (status.ok() && (flushed_ < texts.size() || in_flight_ > 0)) {
    while (wait_ms_ == 0) {
      std::vector<size_t> next = NextTexts(runner_.Room());
      if (next.empty()) break;
      Start(std::move(next));
    }
    if (in_flight_ > 0) {
      status = Take(TakeEnded());
    } else if (wait_ms_ > 0) {
      if (!runner_.Sleep(wait_ms_)) status = absl::CancelledError("the process ends");
      wait_ms_ = 0;
    }
    if (status.ok()) status = Flush();
    if (status.ok() && runner_.is_stopping()) status = absl::CancelledError("the process ends");
  }
  // The calls that are left refer to the context, which outlives the runner alone.
  while (in_flight_ > 0) TakeEnded();
  return status.ok() && !has_success_ && failed_ > 0 ? first_error_ : status;
}

size_t JobRunner::Run::RoomFor(size_t text) const {
  const int64_t code_points = engine::CountCodePoints(document_->texts()[text].text);
  return static_cast<size_t>(1 + code_points / kCodePointsOfAText);
}

std::vector<size_t> JobRunner::Run::NextTexts(size_t room) {
  const size_t free = room - std::min(room, used_);
  const auto fits = [&](size_t size, size_t most) { return in_flight_ == 0 || size <= most; };
  if (!again_.empty()) {
    size_t size = 0;
    for (const size_t text : again_.front()) size += RoomFor(text);
    if (!fits(size, free)) return {};
    std::vector<size_t> texts = std::move(again_.front());
    again_.pop_front();
    return texts;
  }
  const std::vector<DocumentText>& all = document_->texts();
  const auto most =
      static_cast<size_t>(runner_.context_->limits.max_code_points / kCodePointsOfAText);
  const size_t quarter = std::clamp<size_t>(room / 4, 1, std::max<size_t>(1, most));
  if (!fits(quarter, free)) return {};  // not a smaller call
  const auto most_items = static_cast<size_t>(runner_.context_->limits.max_items);
  std::vector<size_t> texts;
  size_t size = 0;
  for (; next_ < all.size() && texts.size() < most_items; ++next_) {
    const DocumentText& text = all[next_];
    if (twins_[next_] != next_) continue;  // its twin is translated before
    if (!engine::NeedsTranslation(text)) {
      is_done_[next_] = true;
      ++translated_;
      continue;
    }
    const size_t more = RoomFor(next_);
    if (texts.empty() ? !fits(more, free)
                      : size + more > quarter || text.format != all[texts.front()].format) {
      break;
    }
    size += more;
    texts.push_back(next_);
  }
  return texts;
}

void JobRunner::Run::Start(std::vector<size_t> texts) {
  v1::TranslateRequest request = work_.request.request();
  for (const size_t text : texts) request.add_contents(document_->texts()[text].text);
  request.set_mime_type(std::string(MimeTypeOf(document_->texts()[texts.front()].format)));
  CallHead head;
  head.started = runner_.context_->clock->Now();
  head.deadline = head.started + kLongestCall;
  head.route = "dragoman.v1.TranslationService/RunJob";
  head.client = ClientName(grant_.get(), "jobs");
  head.grant = grant_;
  ++in_flight_;
  for (const size_t text : texts) used_ += RoomFor(text);
  PartCall::Start(runner_.context_, std::move(head), std::move(request),
                  [ended = ended_, texts = std::move(texts)](const absl::Status& status,
                                                             v1::TranslateResponse answer) {
                    engine::MutexLock lock(&ended->mu);
                    ended->parts.push_back({texts, status, std::move(answer)});
                    ended->changed.NotifyOne();
                  });
}

JobRunner::Run::Part JobRunner::Run::TakeEnded() {
  engine::MutexLock lock(&ended_->mu);
  while (ended_->parts.empty()) ended_->changed.Wait(&ended_->mu);
  Part part = std::move(ended_->parts.front());
  ended_->parts.pop_front();
  --in_flight_;
  for (const size_t text : part.texts) used_ -= RoomFor(text);
  return part;
}

absl::Status JobRunner::Run::Take(Part part) {
  if (IsTransient(part.status)) {
    const engine::Nanos hint = RetryAfterOf(part.status).value_or(0);
    wait_ms_ = std::clamp(hint / kNanosPerMilli, std::max<int64_t>(wait_ms_, kFirstWaitMs),
                          kLongestWaitMs);
    again_.push_back(std::move(part.texts));
    return absl::OkStatus();
  }
  if (absl::IsUnauthenticated(part.status) && runner_.keys_ != nullptr) {
    // The key was replaced by another one of its client.
    std::shared_ptr<Grant> now = runner_.keys_->GrantOf(work_.owner);
    if (now == nullptr) return part.status;
    if (now != grant_) {
      grant_ = std::move(now);
      again_.push_back(std::move(part.texts));
      return absl::OkStatus();
    }
  }
  if (!part.status.ok() && part.texts.size() > 1) {
    // All items have failed with one error. One of them may be to blame, or each has the same.
    for (const size_t text : part.texts) again_.push_back({text});
    return absl::OkStatus();
  }
  for (size_t i = 0; i < part.texts.size(); ++i) {
    const size_t text = part.texts[i];
    absl::Status status = part.status;
    if (status.ok()) {
      const v1::Translation& item = part.answer.translations(static_cast<int>(i));
      if (item.has_error()) {
        status = FromRpcStatus(item.error());
      } else {
        status = engine::CheckTranslation(document_->texts()[text], item.translated_text());
        if (status.ok()) translations_[text] = item.translated_text();
      }
    }
    is_done_[text] = true;
    ++translated_;
    code_points_ += engine::CountCodePoints(document_->texts()[text].text);
    if (status.ok()) {
      has_success_ = true;
      continue;
    }
    if (failed_++ == 0) first_error_ = status;
    if (!has_success_ && failed_ == kMostFirstFailures) return status;
  }
  return absl::OkStatus();
}

absl::Status JobRunner::Run::Flush() {
  const size_t begin = flushed_;
  size_t end = begin;
  for (; end < translations_.size(); ++end) {
    const size_t twin = twins_[end];
    if (!is_done_[twin]) break;
    if (twin == end) continue;
    translations_[end] = translations_[twin];
    is_done_[end] = true;
    ++translated_;
  }
  if (end == begin) return absl::OkStatus();
  const std::span<const std::optional<std::string>> done =
      std::span(translations_).subspan(begin, end - begin);
  absl::Status kept = Patiently([&] { return runner_.store_->AppendParts(work_.id, done); });
  if (!kept.ok()) return kept;
  flushed_ = end;
  return Report();
}

absl::Status JobRunner::Run::Report() {
  return runner_.store_->SetProgress(work_.id, static_cast<int64_t>(translations_.size()),
                                     translated_, failed_, code_points_);
}

JobRunner::JobRunner(JobStore* store, const CallContext* context, const ApiKeys* keys, int cpus)
    : store_(store), context_(context), keys_(keys), cpus_(cpus) {
  store_->OnWaiting([this] {
    engine::MutexLock lock(&mu_);
    ++waiting_;
    changed_.NotifyAll();
  });
  const int64_t most = store_->limits().max_job_bytes;
  for (const Share& share : {Share{kSmallDocument, kSmallText}, Share{most, MaxText(most)}}) {
    threads_.emplace_back([this, share] {
      engine::NameThisThread("job");
      Work(share);
    });
  }
}

JobRunner::~JobRunner() {
  {
    engine::MutexLock lock(&mu_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  store_->OnWaiting(nullptr);
}

size_t JobRunner::Room() const {
  size_t gpus = 0;
  for (const ModelPtr& model : VisibleModels(*context_, nullptr)) {
    const std::string& device = model->engine->info().device;
    if (absl::StartsWith(device, "cuda")) {
      gpus = std::max(gpus, 1 + static_cast<size_t>(std::ranges::count(device, ',')));
    }
  }
  const size_t room = std::max(kTextsPerCpu * static_cast<size_t>(cpus_), kTextsPerGpu * gpus);
  const engine::Nanos others = context_->clock->Now() - context_->tracker->last_foreground();
  return others < kOthersAreGone ? room / kBesideOthers : room;
}

bool JobRunner::is_stopping() {
  engine::MutexLock lock(&mu_);
  return stopping_;
}

bool JobRunner::Sleep(int64_t milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  engine::MutexLock lock(&mu_);
  while (!stopping_ && changed_.WaitUntil(&mu_, end)) {
  }
  return !stopping_;
}

int64_t JobMemoryBytes(int64_t max_job_bytes) {
  const int64_t text = kSmallText + MaxText(max_job_bytes);
  return kMemoryPerByte * (kSmallDocument + max_job_bytes) + kMemoryPerTextByte * text +
         kMemoryPerText * (text / kBytesPerText);
}

void JobRunner::Work(const Share& share) {
  std::set<std::string> large;  // jobs that the other thread runs
  while (!is_stopping()) {
    int64_t seen = 0;
    {
      engine::MutexLock lock(&mu_);
      seen = waiting_;
    }
    store_->DeleteExpired();
    std::optional<JobStore::Work> work = store_->Take(share.max_size, large);
    if (!work.has_value()) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kSweepMs);
      engine::MutexLock lock(&mu_);
      while (!stopping_ && seen == waiting_ && changed_.WaitUntil(&mu_, end)) {
      }
      continue;
    }
    const std::string id = work->id;
    const std::string format = work->request.format();
    const absl::Status done = Run(this, *std::move(work), share).Do();
    if (absl::IsAborted(done)) large.insert(id);
    if (absl::IsAborted(done) || absl::IsCancelled(done)) {
      store_->Release(id);
      engine::MutexLock lock(&mu_);
      ++waiting_;
      changed_.NotifyAll();
    }
    if (absl::IsAborted(done)) continue;
    Log(LogLevel::kInfo, "job", {{"format", format}, {"code", CodeName(done.code())}});
  }
}

absl::Status CheckJob(const CallContext& context, const Client* client, int64_t max_job_bytes,
                      v1::CreateJobRequest* request) {
  Violations violations;
  constexpr size_t kMaxNameBytes = 256;
  if (request->name().size() > kMaxNameBytes) {
    violations.Invalid("name", absl::StrCat("found ", request->name().size(),
                                            " bytes, expected at most ", kMaxNameBytes));
  }
  const std::string& given = request->format().empty() ? request->name() : request->format();
  const DocumentFormat* const format = engine::FindDocumentFormat(given);
  if (format == nullptr) {
    std::vector<std::string> names;
    for (const DocumentFormat& known : engine::DocumentFormats()) names.emplace_back(known.name);
    violations.Invalid(
        request->format().empty() ? "name" : "format",
        absl::StrCat("found ", Quoted(given), ", expected one of ", absl::StrJoin(names, ", ")));
  } else {
    request->set_format(std::string(format->name));
    const bool has_fields = format->name == "csv" || format->name == "tsv" ||
                            format->name == "json" || format->name == "yaml";
    if (!request->fields().empty() && !has_fields) {
      violations.Invalid("fields", absl::StrCat("found ", request->fields_size(),
                                                ", expected none for ", std::string(format->name)));
    }
  }
  if (request->size() < 1 || request->size() > max_job_bytes) {
    violations.Invalid(
        "size", absl::StrCat("found ", request->size(), ", expected 1..", max_job_bytes, " bytes"));
  }
  v1::TranslateRequest& options = *request->mutable_request();
  if (!options.contents().empty()) {
    violations.Invalid("request.contents", "found texts, expected none");
  }
  if (!options.mime_type().empty()) {
    violations.Invalid("request.mime_type", "found a type, expected none");
  }
  if (!options.target_prefixes().empty() || options.has_return_options()) {
    violations.Invalid("request", "found target_prefixes or return_options, expected none");
  }
  if (absl::Status status = violations.Status(); !status.ok()) return status;
  if (options.priority() == v1::PRIORITY_UNSPECIFIED) options.set_priority(v1::BULK);
  if (!options.has_preserve()) options.set_preserve(true);

  v1::TranslateRequest probe = options;
  probe.add_contents(std::string(1, 'x'));
  ParsedRequest parsed = ReadTranslateRequest(std::move(probe), context.limits, CallKind::kUnary);
  if (!parsed.status.ok()) return parsed.status;
  if (absl::Status loaded = CheckLoaded(context); !loaded.ok()) return loaded;
  const std::vector<ModelPtr> models = VisibleModels(context, client);
  if (absl::Status allowed = CheckMayUse(client, parsed.model, models); !allowed.ok()) {
    return allowed;
  }
  if (parsed.detect_source) return absl::OkStatus();
  absl::StatusOr<Route> route =
      RouteRequest(models, parsed.model, parsed.job.source_language, parsed.job.target_language);
  if (!route.ok()) return WithFieldViolation(route.status());
  parsed.job.source_language = std::move(route->languages.source);
  parsed.job.target_language = std::move(route->languages.target);
  return WithFieldViolation(route->model->engine->Prepare(std::move(parsed.job)).status());
}

}  // namespace dragoman::server
