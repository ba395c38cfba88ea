// Makes the answers to /metrics on its own thread, one at a time, so that other requests do not
// wait for them. With thousands of models, an answer takes seconds.
//
// Thread-safe. An answer is never older than its request. Requests that come while an answer is
// being made wait for the next answer, which they share.
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
  // Shared by the requests that waited for the answer.
  using Answer = std::shared_ptr<const HttpResponse>;
  // Called on the scraper's thread, or by Stop. Must not block.
  using Done = std::function<void(Answer answer)>;

  Scraper(std::function<HttpResponse()> make, size_t max_waiting);
  ~Scraper();
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  // Returns true and calls `done` once. Returns false and never calls `done` if `max_waiting`
  // requests already wait for the next answer, or if the scraper has stopped.
  bool Ask(Done done);

  // Waits for the answer that is being made. Requests that wait for the next one get 503. A second
  // call has no effect.
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
