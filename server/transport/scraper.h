// Makes the answers to /metrics on its own thread, one at a time, so that other requests do not
// wait for them. With thousands of models, an answer takes seconds.
//
// Thread-safe. An answer is never older than its request. Requests that come while an answer is
// being made wait for the next answer, which they share.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/mutex.h"
#include "server/base/task_thread.h"
#include "server/transport/routes.h"

namespace dragoman::server {

class Scraper {
 public:
  // Shared by the requests that waited for the answer.
  using Answer = std::shared_ptr<const HttpResponse>;
  // Called on the scraper's thread, or by Stop. Must not block.
  using Done = std::function<void(Answer answer)>;

  Scraper(std::function<HttpResponse()> make, size_t max_waiting);
  ~Scraper() { Stop(); }

  // Returns true and calls `done` once. Returns false and never calls `done` if `max_waiting`
  // requests already wait for the next answer, or if the scraper has stopped.
  bool Ask(Done done);

  // Waits for the present answer. Waiting requests get 503. A second call has no effect.
  void Stop() { thread_.Stop(); }

 private:
  // Answers the waiting requests; without `go_on` with 503.
  void AnswerAll(bool go_on);

  const std::function<HttpResponse()> make_;
  const size_t max_waiting_;

  engine::Mutex mu_;
  std::vector<Done> waiting_ ABSL_GUARDED_BY(mu_);
  TaskThread thread_{"scrape", 1};
};

}  // namespace dragoman::server
