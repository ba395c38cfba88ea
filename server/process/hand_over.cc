#include "server/process/hand_over.h"

#include "absl/strings/str_cat.h"
#include "server/base/log.h"

namespace dragoman {

void HandOver::Fail(const std::string& why) {
  successor_.reset();
  hooks_.open_admin();
  Log(LogLevel::kError, "not handed over, this process goes on", {{"error", why}});
  hooks_.tell_manager(absl::StrCat("STATUS=", hooks_.serving, "; not handed over: ", why));
}

void HandOver::Begin() {
  if (successor_ != nullptr) return;
  hooks_.close_admin();
  absl::StatusOr<std::unique_ptr<Successor>> started = Successor::Start(hooks_.sockets());
  if (!started.ok()) {
    Fail(std::string(started.status().message()));
    return;
  }
  successor_ = *std::move(started);
  Log(LogLevel::kInfo, "handing over", {{"pid", successor_->pid()}});
  hooks_.tell_manager(absl::StrCat("STATUS=handing over to process ", successor_->pid()));
}

bool HandOver::IsDone() {
  if (successor_ == nullptr) return false;
  switch (successor_->Look()) {
    case Successor::State::kStarting:
      return false;
    case Successor::State::kEnded:
      Fail("the successor ended before it served; its log says why");
      return false;
    case Successor::State::kServing:
      break;
  }
  Log(LogLevel::kInfo, "handed over", {{"pid", successor_->pid()}});
  hooks_.tell_manager(absl::StrCat("MAINPID=", successor_->pid(), "\nSTATUS=", hooks_.serving));
  return true;
}

}  // namespace dragoman
