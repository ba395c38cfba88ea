// A fake HTTP exchange. It records the answer and checks the rules of the interface.
//
// Thread-safe.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "server/transport/http_exchange.h"

namespace dragoman::server {

// Returns the answer with its whole body in `body`.
inline HttpResponse Whole(HttpResponse response) {
  if (response.shared_body != nullptr)
    response.body = *std::exchange(response.shared_body, nullptr);
  while (response.pieces != nullptr) {
    const std::string piece = response.pieces->Next();
    if (piece.empty()) response.pieces = nullptr;
    response.body += piece;
  }
  return response;
}

class FakeExchange final : public HttpExchange {
 public:
  explicit FakeExchange(HttpRequest request) : request_(std::move(request)) {}

  const HttpRequest& request() const override { return request_; }

  void OnGone(std::function<void()> gone) override {
    {
      engine::MutexLock lock(&mu_);
      gone_ = gone;
      if (!left_) return;
    }
    gone();
  }

  void Respond(HttpResponse response, std::function<void()> sent) override {
    {
      engine::MutexLock lock(&mu_);
      EXPECT_FALSE(answered_ || begun_) << "a second answer";
      answered_ = true;
      response_ = std::move(response);
      if (hold_sends_) {
        held_.push_back([sent = std::move(sent)](bool) {
          if (sent) sent();
        });
      }
      changed_.NotifyAll();
      if (hold_sends_) return;
    }
    if (sent) sent();
  }

  void Begin(HttpResponse head) override {
    engine::MutexLock lock(&mu_);
    EXPECT_FALSE(answered_ || begun_) << "a second answer";
    begun_ = true;
    response_ = std::move(head);
  }

  void Write(std::string piece, std::function<void(bool)> done) override {
    bool ok = true;
    {
      engine::MutexLock lock(&mu_);
      EXPECT_TRUE(begun_ && !answered_) << "a piece before the head or after the end";
      EXPECT_TRUE(held_.empty()) << "two pieces at once";
      EXPECT_FALSE(piece.empty());
      pieces_.push_back(std::move(piece));
      if (hold_sends_) held_.push_back(std::move(done));
      changed_.NotifyAll();
      if (hold_sends_) return;
      ok = !left_;
    }
    done(ok);
  }

  void End(bool cut_off) override {
    engine::MutexLock lock(&mu_);
    EXPECT_TRUE(begun_ && !answered_);
    answered_ = true;
    cut_off_ = cut_off;
    changed_.NotifyAll();
  }

  void Break() override {
    std::vector<std::function<void(bool)>> held;
    {
      engine::MutexLock lock(&mu_);
      ++breaks_;
      held.swap(held_);
    }
    for (const auto& done : held) done(false);
  }

  // After this, pieces and answers stay in flight until Send or Break.
  void HoldSends() {
    engine::MutexLock lock(&mu_);
    hold_sends_ = true;
  }
  // Completes the oldest send in flight. Waits for one.
  void Send(bool ok) {
    std::function<void(bool)> done;
    {
      engine::MutexLock lock(&mu_);
      while (held_.empty()) changed_.Wait(&mu_);
      done = std::move(held_.front());
      held_.erase(held_.begin());
    }
    done(ok);
  }

  // Simulates the client closing its connection.
  void Leave() {
    std::function<void()> gone;
    {
      engine::MutexLock lock(&mu_);
      left_ = true;
      gone = gone_;
    }
    if (gone) gone();
  }

  // Waits for the complete answer. Concatenates the pieces of a body.
  HttpResponse Wait() {
    engine::MutexLock lock(&mu_);
    while (!answered_) changed_.Wait(&mu_);
    HttpResponse whole = Whole(response_);
    for (const std::string& piece : pieces_) whole.body += piece;
    return whole;
  }
  // Waits for piece n, counted from 0.
  std::string WaitPiece(size_t n) {
    engine::MutexLock lock(&mu_);
    while (pieces_.size() <= n) changed_.Wait(&mu_);
    return pieces_[n];
  }
  bool answered() const {
    engine::MutexLock lock(&mu_);
    return answered_;
  }
  bool cut_off() const {
    engine::MutexLock lock(&mu_);
    return cut_off_;
  }
  int breaks() const {
    engine::MutexLock lock(&mu_);
    return breaks_;
  }

 private:
  const HttpRequest request_;
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  std::function<void()> gone_ ABSL_GUARDED_BY(mu_);
  std::vector<std::function<void(bool)>> held_ ABSL_GUARDED_BY(mu_);
  bool hold_sends_ ABSL_GUARDED_BY(mu_) = false;
  bool left_ ABSL_GUARDED_BY(mu_) = false;
  bool begun_ ABSL_GUARDED_BY(mu_) = false;
  bool answered_ ABSL_GUARDED_BY(mu_) = false;
  bool cut_off_ ABSL_GUARDED_BY(mu_) = false;
  int breaks_ ABSL_GUARDED_BY(mu_) = 0;
  HttpResponse response_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> pieces_ ABSL_GUARDED_BY(mu_);
};

// Returns the value of an answer's header; "" if it is missing.
inline std::string HeaderOf(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace dragoman::server
