// Sends the load generator's calls through a TranslationClient.
//
// The owner calls everything from one thread; gRPC's threads only take the time of an answer, count
// what is in it and put it into a mailbox, so that the owner's own delays measure nothing.
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
  // and its clock. REQUIRES: requests is not empty.
  ClientLoadDriver(TranslationClient* client, ClientClock* clock, Requests requests, bool stream);

  // Whether the system gave what Wait needs.
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
  // Shared with the callbacks, which may still be leaving Push when the driver ends.
  const std::shared_ptr<Answers> answers_;
};

}  // namespace dragoman::client
