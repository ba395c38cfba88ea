#include "server/process/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/thread_name.h"
#include "server/base/log.h"

namespace dragoman::server {
namespace {

sigset_t AwaitedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

// Waits for a signal and returns its number, or 0 after `timeout`.
int WaitSignal(std::chrono::milliseconds timeout) {
  const sigset_t set = AwaitedSignals();
  const timespec time{timeout.count() / 1000, (timeout.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&set, nullptr, &time);
  return signal > 0 ? signal : 0;
}

}  // namespace

void PrepareSignals() {
  const sigset_t set = AwaitedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

EarlyEnd::EarlyEnd(std::function<void(int signal)> end)
    : signals_([] {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        return signalfd(-1, &set, SFD_CLOEXEC);
      }()),
      stop_(eventfd(0, EFD_CLOEXEC)),
      thread_([this, end = std::move(end)] {
        engine::NameThisThread("signals");
        pollfd fds[2] = {{signals_, POLLIN, 0}, {stop_, POLLIN, 0}};
        while (poll(fds, 2, -1) < 0) {
        }
        signalfd_siginfo info{};
        if ((fds[0].revents & POLLIN) == 0 || read(signals_, &info, sizeof(info)) < 0) return;
        end(static_cast<int>(info.ssi_signo));
      }) {}

EarlyEnd::~EarlyEnd() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(stop_, &one, sizeof(one));
  thread_.join();
  close(stop_);
  close(signals_);
}

EndAtEof::EndAtEof()
    : stop_(eventfd(0, EFD_CLOEXEC)), thread_([this] {
        engine::NameThisThread("end of input");
        char buffer[4096];
        while (true) {
          pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {stop_, POLLIN, 0}};
          if (poll(fds, 2, -1) < 0) continue;
          if (fds[1].revents != 0) return;
          const ssize_t got = read(STDIN_FILENO, buffer, sizeof(buffer));
          if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) continue;
          kill(getpid(), SIGTERM);
          return;
        }
      }) {}

EndAtEof::~EndAtEof() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(stop_, &one, sizeof(one));
  thread_.join();
  close(stop_);
}

int WaitForEnd(const SignalHooks& hooks) {
  while (true) {
    const int signal = WaitSignal(std::chrono::seconds(1));
    if (signal == SIGHUP) {
      hooks.reload();
    } else if (signal != 0) {
      return signal;
    }
    if (hooks.dead()) return 0;
  }
}

DrainResult DrainUnlessHurried(Serving* serving, const DrainTimes& times) {
  std::atomic<bool> done{false};
  std::thread second;
  try {
    second = std::thread([serving, &done] {
      engine::NameThisThread("second signal");
      while (!done) {
        const int signal = WaitSignal(std::chrono::milliseconds(100));
        if (signal == 0 || signal == SIGHUP) continue;
        Log(LogLevel::kWarn, "second signal");
        serving->Hurry();
      }
    });
  } catch (const std::system_error& e) {
    Log(LogLevel::kWarn, "no thread waits for a second signal", {{"error", e.what()}});
  }
  const DrainResult result = serving->DrainCalls(times);
  done = true;
  if (second.joinable()) second.join();
  return result;
}

}  // namespace dragoman::server
