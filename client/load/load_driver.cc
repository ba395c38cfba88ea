#include "client/load/load_driver.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "client/commands/utf8.h"

namespace dragoman::client {
namespace {

// Adds a translation to the counts of `completion`. `item` is its index in the request.
void Count(const v1::TranslateRequest& request, int item, const v1::Translation& translation,
           LoadCompletion* completion) {
  if (translation.has_error()) {
    ++completion->errors[static_cast<absl::StatusCode>(translation.error().code())];
    return;
  }
  ++completion->items;
  if (item < request.contents_size()) {
    completion->characters += CountCodePoints(request.contents(item));
  }
  completion->source_tokens += translation.tokens().source_size();
  completion->target_tokens += translation.tokens().target_size();
}

}  // namespace

ClientLoadDriver::ClientLoadDriver(TranslationClient* client, ClientClock* clock, Requests requests,
                                   bool stream)
    : client_(*client),
      clock_(*clock),
      requests_(std::move(requests)),
      stream_(stream),
      answers_(std::make_shared<Answers>()) {}

absl::Status ClientLoadDriver::status() const {
  if (answers_->fd() >= 0) return absl::OkStatus();
  return absl::ResourceExhaustedError("cannot make an eventfd");
}

void ClientLoadDriver::Send(int64_t call) {
  const auto& request = requests_[static_cast<size_t>(call) % requests_.size()];
  auto completion = std::make_shared<LoadCompletion>();
  completion->call = call;
  ClientClock* const clock = &clock_;
  auto ended = [answers = answers_, completion, clock](absl::Status status) {
    completion->finished = clock->Now();
    completion->status = std::move(status);
    answers->Push(std::move(*completion));
  };
  if (stream_) {
    client_.StreamTranslateAsync(
        request,
        [request, completion, clock](const v1::StreamTranslateResponse& message) {
          if (!completion->first_message.has_value()) completion->first_message = clock->Now();
          if (message.has_translation()) {
            Count(*request, message.item(), message.translation(), completion.get());
          }
          return true;
        },
        std::move(ended));
    return;
  }
  client_.TranslateAsync(request, [request, completion, ended = std::move(ended)](
                                      absl::StatusOr<v1::TranslateResponse> response) {
    if (response.ok()) {
      for (int item = 0; item < response->translations_size(); ++item) {
        Count(*request, item, response->translations(item), completion.get());
      }
    }
    ended(response.status());
  });
}

void ClientLoadDriver::Wait(std::optional<ClientClock::TimePoint> until,
                            std::vector<LoadCompletion>* completions) {
  pollfd fd{answers_->fd(), POLLIN, 0};
  timespec timeout{};
  if (until.has_value()) {
    const auto left =
        std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(*until - clock_.Now()));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    timeout.tv_sec = seconds.count();
    timeout.tv_nsec = (left - seconds).count();
  }
  // If a signal interrupts the wait, there are no completions and the caller waits again.
  ppoll(&fd, 1, until.has_value() ? &timeout : nullptr, nullptr);
  answers_->TakeAll(completions);
}

}  // namespace dragoman::client
