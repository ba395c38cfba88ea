// Makes the answers to /metrics on a thread of its own, one at a time, so that requests for
// something else do not wait for one. With thousands of models it takes seconds.
//
// Thread-safe. An answer is never older than its request: a request that comes while an answer is
// being made gets the next one, together with all others that have come by then.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/base/mutex.h"
#include "server/transport/routes.h"

namespace dragoman::server {

class Scraper {
 public:
  // Shared by the requests that waited for it.
  using Answer = std::shared_ptr<const HttpResponse>;
  // Called from the scraper's thread, or by Stop. Must not block.
  using Done = std::function<void(Answer answer)>;

  Scraper(std::function<HttpResponse()> make, size_t max_waiting);
  // Stops.
  ~Scraper();
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  // `done` is called once. False: it never will be, because `max_waiting` requests wait already
  // beside those whose answer is being made, or because the scraper has stopped.
  bool Ask(Done done);

  // Waits for the answer that is being made; requests that wait for the next one get 503. Calling
  // it again has no effect.
  void Stop();

 private:
  void Run();

  const std::function<HttpResponse()> make_;
  const size_t max_waiting_;

  engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<Done> waiting_ ABSL_GUARDED_BY(mu_);
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman::server
