#include "server/transport/scraper.h"

#include <new>
#include <utility>

namespace dragoman::server {
namespace {

Scraper::Answer Unavailable(const char* why) {
  return std::make_shared<const HttpResponse>(HttpResponse{.status = 503, .body = why});
}

}  // namespace

Scraper::Scraper(std::function<HttpResponse()> make, size_t max_waiting)
    : make_(std::move(make)), max_waiting_(max_waiting) {
  thread_.Start();
}

bool Scraper::Ask(Done done) {
  engine::MutexLock lock(&mu_);
  if (waiting_.size() >= max_waiting_) return false;
  // The first one that waits posts the task that answers all.
  if (waiting_.empty() && !thread_.Post([this](bool go_on) { AnswerAll(go_on); }).ok()) {
    return false;
  }
  waiting_.push_back(std::move(done));
  return true;
}

void Scraper::AnswerAll(bool go_on) {
  std::vector<Done> asked;
  {
    engine::MutexLock lock(&mu_);
    asked.swap(waiting_);
  }
  Answer answer;
  try {
    answer =
        go_on ? std::make_shared<const HttpResponse>(make_()) : Unavailable("the daemon ends\n");
  } catch (const std::bad_alloc&) {
    answer = Unavailable("found no memory for the answer\n");
  }
  for (const Done& done : asked) done(answer);
}

}  // namespace dragoman::server
