// A TranslationService in this process that gives a test's answers.
//
// Handlers run on several threads of the server and may block.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

struct ScriptedReply {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string message;
  v1::TranslateResponse response;
  // The trailing metadata grpc-retry-pushback-ms.
  std::optional<std::string> pushback;
  // The serialised google.rpc.Status of the error.
  std::string details;
};

// Returns every item of the request as "<text>".
v1::TranslateResponse Bracketed(const v1::TranslateRequest& request);

class ScriptedServer {
 public:
  using Handler = std::function<ScriptedReply(const v1::TranslateRequest&)>;
  using Write = std::function<void(const v1::StreamTranslateResponse&)>;
  using StreamHandler = std::function<ScriptedReply(const v1::TranslateRequest&, const Write&)>;

  // The default handler of Translate is Bracketed. A score is minus the number of bytes of the
  // target. Listens on a free port of 127.0.0.1.
  explicit ScriptedServer(Handler handler = nullptr, StreamHandler stream_handler = nullptr);
  ~ScriptedServer();

  std::string address() const;
  int calls() const { return calls_; }
  // After this, each call first waits until its client cancels it or Release is called.
  void Hold();
  void Release();
  // The number of waiting calls, and the number of calls that were cancelled while they waited.
  int waiting() const { return waiting_; }
  int cancelled() const { return cancelled_; }
  // Sets the checksum of the model that ListModels lists.
  void SetChecksum(const std::string& checksum);
  std::string checksum() const;
  // Sets the health of the service "" (the whole server).
  void SetServing(bool serving);

 private:
  class Service;
  struct State;
  std::atomic<int> calls_{0};
  std::atomic<bool> held_{false};
  std::atomic<int> waiting_{0};
  std::atomic<int> cancelled_{0};
  std::unique_ptr<State> state_;
};

// A scripted AdminService without a model "x". Lists opus-de-en (version 12, serving) and a
// (loading).
class ScriptedAdmin {
 public:
  ScriptedAdmin();
  ~ScriptedAdmin();

  std::string address() const;
  // Returns the latest request, in words.
  std::string last() const;

 private:
  class Service;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dragoman::client
