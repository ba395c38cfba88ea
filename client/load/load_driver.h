// Sends the load generator's calls through a TranslationClient.
//
// All methods are called from one thread. gRPC's threads record the time of an answer, count its
// content and put it into a mailbox, so that delays of the calling thread do not affect the
// measurement.
#pragma once

#include <memory>
#include <vector>

#include "client/commands/mailbox.h"
#include "client/load/load_run.h"
#include "client/translation_client.h"

namespace dragoman::client {

class ClientLoadDriver : public LoadDriver {
 public:
  using Requests = std::vector<std::shared_ptr<const v1::TranslateRequest>>;

  // Call n sends requests[n % requests.size()]. With `stream`, uses StreamTranslate instead of
  // Translate. Borrows the client and the clock. REQUIRES: `requests` is not empty.
  ClientLoadDriver(TranslationClient* client, ClientClock* clock, Requests requests, bool stream);

  // Returns RESOURCE_EXHAUSTED if the system could not create the file descriptor that Wait polls.
  absl::Status status() const;

  ClientClock::TimePoint Now() override { return clock_.Now(); }
  void Send(int64_t call) override;
  void Wait(std::optional<ClientClock::TimePoint> until,
            std::vector<LoadCompletion>* completions) override;

 private:
  using Answers = Mailbox<LoadCompletion>;

  TranslationClient& client_;
  ClientClock& clock_;
  const Requests requests_;
  const bool stream_;
  // Shared with the callbacks of calls, because one may still be inside Push when the driver is
  // destroyed.
  const std::shared_ptr<Answers> answers_;
};

}  // namespace dragoman::client
