// A TranslationService in this process whose answers a test writes.
//
// Handlers run on threads of the server, several at a time, and may block.
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
  // Trailing metadata grpc-retry-pushback-ms.
  std::optional<std::string> pushback;
  // The serialised google.rpc.Status of the error.
  std::string details;
};

// Every item of the request as "<text>".
v1::TranslateResponse Bracketed(const v1::TranslateRequest& request);

class ScriptedServer {
 public:
  using Handler = std::function<ScriptedReply(const v1::TranslateRequest&)>;
  using Write = std::function<void(const v1::StreamTranslateResponse&)>;
  using StreamHandler = std::function<ScriptedReply(const v1::TranslateRequest&, const Write&)>;

  // Without a handler: Bracketed. Listens on a free port of 127.0.0.1.
  explicit ScriptedServer(Handler handler = nullptr, StreamHandler stream_handler = nullptr);
  ~ScriptedServer();

  std::string address() const;
  int calls() const { return calls_; }
  // From now on each call waits, before anything else, until its client cancels it or Release is
  // called.
  void Hold();
  void Release();
  // Calls that wait now, and those that were cancelled while they waited.
  int waiting() const { return waiting_; }
  int cancelled() const { return cancelled_; }
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

// An AdminService that does as it is told and knows no model "x". It lists opus-de-en, version 12,
// which is serving, and a, which is loading.
class ScriptedAdmin {
 public:
  ScriptedAdmin();
  ~ScriptedAdmin();

  std::string address() const;
  // The latest request, in words.
  std::string last() const;

 private:
  class Service;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dragoman::client
