#include "client/commands/translate_run.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/commands/mailbox.h"
#include "client/commands/utf8.h"
#include "client/status_map.h"

namespace dragoman::client {
namespace {

// The numbers of the lines that one call has.
struct Batch {
  std::vector<int64_t> lines;
  TranslationClient::CancelCall cancel;
};

// The end of a call that translates. For a stream that ended with OK, the response is empty.
using TranslateEnd = absl::StatusOr<v1::TranslateResponse>;
using ScoreEnd = absl::StatusOr<v1::ScoreResponse>;

struct TranslateEvent {
  std::shared_ptr<Batch> batch;
  std::variant<v1::StreamTranslateResponse, TranslateEnd, ScoreEnd> what;
};

// Reports whether a call's error with this code means that all other lines would fail too. Then the
// run ends.
bool EndsTheRun(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnavailable:
      return true;
    default:
      return false;
  }
}

struct Segment {
  int64_t begin = 0;
  int64_t end = 0;
  std::string text;
  bool final = false;
};

struct Line {
  std::string text;
  std::string target;
  bool done = false;
  LineResult result;
  std::map<int32_t, Segment> segments;
};

// Returns the known beginning of the translation: the complete segments, the white space between
// them as in the source, and the known part of the first incomplete segment.
std::string KnownPrefix(const Line& line) {
  std::string known;
  int32_t expected = 0;
  size_t end = 0;
  for (const auto& [index, segment] : line.segments) {
    if (index != expected++) break;
    const auto begin = static_cast<size_t>(segment.begin);
    if (segment.begin >= 0 && begin >= end && begin <= line.text.size()) {
      known.append(line.text, end, begin - end);
    }
    known += segment.text;
    if (!segment.final) break;
    end = static_cast<size_t>(std::max<int64_t>(0, segment.end));
  }
  return known;
}

class TranslateRun {
 public:
  TranslateRun(const TranslateRunOptions& options, TranslationClient* client, TextSource* source,
               ResultSink* sink)
      : options_(options),
        client_(*client),
        source_(*source),
        sink_(*sink),
        mailbox_(std::make_shared<Mailbox<TranslateEvent>>()),
        window_limit_(static_cast<size_t>(options.concurrency) * options.batch * 4),
        to_skip_(options.skip),
        first_(options.skip + 1),
        next_(options.skip + 1) {}

  absl::Status Loop() {
    if (mailbox_->fd() < 0) return absl::ErrnoToStatus(errno, "cannot make an eventfd");
    absl::Status input;
    std::vector<TranslateEvent> events;
    for (;;) {
      mailbox_->TakeAll(&events);
      for (TranslateEvent& event : events) Handle(event);
      SendWhatFits();
      EmitFinished();
      sink_.OnIdle();
      if (sink_.stopped()) {
        for (const std::shared_ptr<Batch>& batch : sent_) batch->cancel();
        return input;
      }
      if (source_.ended() && window_.empty()) {
        if (!input.ok() || to_skip_ == 0) return input;
        return absl::InvalidArgumentError(absl::StrCat("the input has ", options_.skip - to_skip_,
                                                       " lines, expected at least the ",
                                                       options_.skip, " that the output has"));
      }
      if (WaitForInput()) {
        if (absl::Status status = ReadLines(); !status.ok()) input = status;
      }
    }
  }

 private:
  Line& At(int64_t number) { return window_[static_cast<size_t>(number - first_)]; }
  int64_t end() const { return first_ + static_cast<int64_t>(window_.size()); }

  // Waits for an event or a tick. Also waits for input if there is room for more lines. Returns true
  // if there is input to read.
  bool WaitForInput() {
    const bool wants_input = !source_.ended() && !source_.is_full() &&
                             window_.size() < window_limit_ &&
                             window_bytes_ < TranslateRunOptions::kWindowBytes;
    if (wants_input && source_.has_buffered()) return true;
    pollfd fds[2] = {{mailbox_->fd(), POLLIN, 0}, {source_.fd(), POLLIN, 0}};
    const int ready = poll(fds, wants_input ? 2 : 1, sink_.WantsTicks() ? 100 : -1);
    return wants_input && ready > 0 && fds[1].revents != 0;
  }

  absl::Status ReadLines() {
    std::deque<TextItem> items;
    absl::Status status = source_.Read(&items);
    for (; to_skip_ > 0 && !items.empty(); --to_skip_) items.pop_front();
    for (auto& [text, target] : items) {
      Line& line = window_.emplace_back();
      line.target = std::move(target);
      line.result.source_bytes = static_cast<int64_t>(text.size()) + 1;
      if (text.empty()) {
        line.done = line.result.empty = true;
      } else if (text.size() > TextSource::kMaxTextBytes) {
        Finish(&line,
               absl::InvalidArgumentError(absl::StrCat(
                   "the text has more than the ", TextSource::kMaxTextBytes, " bytes allowed")));
        text = {};
      } else if (const auto bad = FirstInvalidUtf8(text)) {
        Finish(&line, absl::InvalidArgumentError(
                          absl::StrCat("not UTF-8 at byte ", *bad + 1, " of the line")));
      } else if (options_.target_prefixes.has_value() &&
                 end() - 1 > static_cast<int64_t>(options_.target_prefixes->size())) {
        Finish(&line, absl::InvalidArgumentError(absl::StrCat("no target prefix: there are ",
                                                              options_.target_prefixes->size())));
      }
      line.text = std::move(text);
      window_bytes_ += line.text.size() + line.target.size();
    }
    return status;
  }

  void AddPrefix(int64_t number, v1::TranslateRequest* request) const {
    if (options_.target_prefixes.has_value()) {
      request->add_target_prefixes((*options_.target_prefixes)[static_cast<size_t>(number - 1)]);
    } else if (!options_.target_prefix.empty()) {
      request->add_target_prefixes(options_.target_prefix);
    }
  }

  void SendWhatFits() {
    while (in_flight_ < options_.concurrency) {
      auto batch = std::make_shared<Batch>();
      size_t bytes = 0;
      const auto add = [&](int64_t number) {
        batch->lines.push_back(number);
        bytes += At(number).text.size() + At(number).target.size();
      };
      if (!again_alone_.empty()) {
        const int64_t number = again_alone_.front();
        again_alone_.pop_front();
        if (!given_up_.ok()) {
          Finish(&At(number), given_up_);
          continue;
        }
        add(number);
      } else {
        for (; next_ < end() && static_cast<int>(batch->lines.size()) < options_.batch &&
               bytes < TranslateRunOptions::kBatchBytes;
             ++next_) {
          if (At(next_).done) continue;
          // A long line is sent alone, so that it fails alone and is sent only once.
          const bool is_long = At(next_).text.size() >= TranslateRunOptions::kBatchBytes;
          if (is_long && !batch->lines.empty()) break;
          if (!given_up_.ok()) {
            Finish(&At(next_), given_up_);
          } else {
            add(next_);
          }
        }
      }
      if (batch->lines.empty()) return;
      ++in_flight_;
      sent_.insert(batch);
      batch->cancel = options_.score.has_value() ? SendScore(batch) : SendTranslate(batch);
    }
  }

  // Returns a callback that puts the end of a call into the mailbox. It shares ownership of the
  // mailbox, because it may still be inside Push when the run ends.
  template <typename End>
  auto EndOf(const std::shared_ptr<Batch>& batch) {
    return [mailbox = mailbox_, batch](End end) { mailbox->Push({batch, std::move(end)}); };
  }

  TranslationClient::CancelCall SendScore(const std::shared_ptr<Batch>& batch) {
    auto request = std::make_shared<v1::ScoreRequest>(*options_.score);
    for (const int64_t number : batch->lines) {
      v1::ScoreRequest::Pair* pair = request->add_pairs();
      pair->set_source(At(number).text);
      pair->set_target(At(number).target);
    }
    return client_.ScoreAsync(std::move(request), EndOf<ScoreEnd>(batch));
  }

  TranslationClient::CancelCall SendTranslate(const std::shared_ptr<Batch>& batch) {
    auto request = std::make_shared<v1::TranslateRequest>(options_.request);
    for (const int64_t number : batch->lines) {
      request->add_contents(At(number).text);
      AddPrefix(number, request.get());
    }
    auto ended = EndOf<TranslateEnd>(batch);
    if (!options_.stream) return client_.TranslateAsync(std::move(request), std::move(ended));
    return client_.StreamTranslateAsync(
        std::move(request),
        [mailbox = mailbox_, batch](const v1::StreamTranslateResponse& message) {
          mailbox->Push({batch, message});
          return true;
        },
        [ended](const absl::Status& status) {
          if (status.ok()) {
            ended(v1::TranslateResponse());
          } else {
            ended(status);
          }
        });
  }

  void Handle(TranslateEvent& event) {
    if (auto* message = std::get_if<v1::StreamTranslateResponse>(&event.what)) {
      HandleMessage(*event.batch, *message);
      return;
    }
    --in_flight_;
    sent_.erase(event.batch);
    if (auto* end = std::get_if<ScoreEnd>(&event.what)) {
      if (end->ok()) {
        for (const int64_t number : event.batch->lines) {
          At(number).result.score_model = end->value().model();
        }
        FinishAll(*event.batch, end->value().mutable_scores());
      }
      HandleEnd(*event.batch, end->status());
    } else {
      auto& translated = std::get<TranslateEnd>(event.what);
      if (translated.ok()) FinishAll(*event.batch, translated->mutable_translations());
      HandleEnd(*event.batch, translated.status());
    }
  }

  void HandleMessage(const Batch& batch, v1::StreamTranslateResponse& message) {
    if (message.item() < 0 || message.item() >= static_cast<int>(batch.lines.size())) return;
    const int64_t number = batch.lines[message.item()];
    if (number < first_ || At(number).done) return;
    Line& line = At(number);
    if (message.has_translation()) {
      Finish(&line, std::move(*message.mutable_translation()));
    } else if (message.has_error()) {
      Finish(&line, FromItem(message.error()));
    } else if (options_.request.return_options().partials() && message.source_end() > 0) {
      line.segments[message.segment()] = {message.source_begin(), message.source_end(),
                                          std::move(*message.mutable_text()), message.final()};
      partial_changed_ |= number == first_;
    }
  }

  template <typename Results>
  void FinishAll(const Batch& batch, Results* results) {
    for (int i = 0; i < results->size() && i < static_cast<int>(batch.lines.size()); ++i) {
      Finish(&At(batch.lines[i]), std::move(*results->Mutable(i)));
    }
  }

  // Handles the lines that have no result when a call has ended.
  void HandleEnd(const Batch& batch, absl::Status status) {
    if (status.ok())
      status = absl::InternalError("the server's answer has no result for this line");
    const bool alone = batch.lines.size() == 1;
    if (EndsTheRun(status.code())) given_up_ = status;
    for (const int64_t number : batch.lines) {
      if (number < first_ || At(number).done) continue;
      if ((absl::IsInvalidArgument(status) || IsMessageTooLarge(status)) && !alone) {
        again_alone_.push_back(number);
      } else {
        Finish(&At(number), status);
      }
    }
  }

  static void Finish(Line* line, v1::Translation translation) {
    if (translation.has_error()) return Finish(line, FromItem(translation.error()));
    line->result.translation = std::move(translation);
    line->done = true;
  }
  static void Finish(Line* line, v1::PairScore score) {
    if (score.has_error()) return Finish(line, FromItem(score.error()));
    line->result.score = std::move(score);
    line->done = true;
  }
  static void Finish(Line* line, absl::Status status) {
    line->result.status = std::move(status);
    line->done = true;
  }

  void EmitFinished() {
    while (!window_.empty() && window_.front().done) {
      Line& line = window_.front();
      line.result.source = line.text;
      sink_.OnLine(first_, &line.result);
      window_bytes_ -= line.text.size() + line.target.size();
      window_.pop_front();
      ++first_;
      partial_changed_ = !window_.empty() && !window_.front().segments.empty();
    }
    next_ = std::max(next_, first_);
    if (!partial_changed_) return;
    partial_changed_ = false;
    sink_.OnPartial(first_, KnownPrefix(window_.front()));
  }

  const TranslateRunOptions& options_;
  TranslationClient& client_;
  TextSource& source_;
  ResultSink& sink_;
  const std::shared_ptr<Mailbox<TranslateEvent>> mailbox_;
  const size_t window_limit_;

  std::deque<Line> window_;  // first_, first_ + 1, ...: read, not yet printed
  size_t window_bytes_ = 0;  // of their texts
  int64_t to_skip_;
  int64_t first_;
  int64_t next_;  // the first line that was never sent
  std::deque<int64_t> again_alone_;
  int in_flight_ = 0;
  std::set<std::shared_ptr<Batch>> sent_;  // the calls in flight
  bool partial_changed_ = false;
  absl::Status given_up_;  // if not OK: no more calls are sent, and lines fail with this status
};

}  // namespace

absl::Status RunTranslate(const TranslateRunOptions& options, TranslationClient* client,
                          TextSource* source, ResultSink* sink) {
  return TranslateRun(options, client, source, sink).Loop();
}

}  // namespace dragoman::client
