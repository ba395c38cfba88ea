// Sends the load generator's calls through a TranslationClient.
//
// The owner calls all methods from one thread. gRPC's threads record the time of an answer, count
// its content and put it into a mailbox, so delays of the owner do not affect the measurement.
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

  // Call n sends request n modulo their number. `stream`: with StreamTranslate. Borrows the client
  // and the clock. REQUIRES: requests is not empty.
  ClientLoadDriver(TranslationClient* client, ClientClock* clock, Requests requests, bool stream);

  // RESOURCE_EXHAUSTED if the system could not create the descriptor that Wait polls.
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
  // Shared with the callbacks, which may still be inside Push when the driver is destroyed.
  const std::shared_ptr<Answers> answers_;
};

}  // namespace dragoman::client
