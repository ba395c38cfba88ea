#include "server/transport/scraper.h"
#include "engine/base/thread_name.h"

#include <new>
#include <utility>

namespace dragoman::server {
namespace {

Scraper::Answer Unavailable(const char* why) {
  auto answer = std::make_shared<HttpResponse>();
  answer->status = 503;
  answer->body = why;
  return answer;
}

}  // namespace

Scraper::Scraper(std::function<HttpResponse()> make, size_t max_waiting)
    : make_(std::move(make)), max_waiting_(max_waiting), thread_([this] { Run(); }) {}

Scraper::~Scraper() { Stop(); }

void Scraper::Stop() {
  {
    engine::MutexLock lock(&mu_);
    stop_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
  std::vector<Done> left;
  {
    engine::MutexLock lock(&mu_);
    left.swap(waiting_);
  }
  for (const Done& done : left) done(Unavailable("the daemon ends\n"));
}

bool Scraper::Ask(Done done) {
  engine::MutexLock lock(&mu_);
  if (stop_ || waiting_.size() >= max_waiting_) return false;
  waiting_.push_back(std::move(done));
  changed_.NotifyAll();
  return true;
}

void Scraper::Run() {
  engine::NameThisThread("scrape");
  while (true) {
    std::vector<Done> asked;
    {
      engine::MutexLock lock(&mu_);
      while (waiting_.empty() && !stop_) changed_.Wait(&mu_);
      if (stop_) return;
      asked.swap(waiting_);
    }
    Answer answer;
    try {
      answer = std::make_shared<const HttpResponse>(make_());
    } catch (const std::bad_alloc&) {
      answer = Unavailable("found no memory for the answer\n");
    }
    for (const Done& done : asked) done(answer);
  }
}

}  // namespace dragoman::server
