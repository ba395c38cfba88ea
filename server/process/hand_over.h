// Hands this daemon's clients over to a successor without losing a call, on SIGUSR2: starts it with
// the listening sockets, goes on until it serves, then takes no more connections and leaves those that
// there are until their clients have renewed them.
//
// For the thread that waits for signals.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/process/successor.h"

namespace dragoman {

struct HandOverHooks {
  // The sockets of all ports that a successor gets.
  std::function<NamedSockets()> sockets;
  // The address of AdminService cannot be shared: it is closed before the successor starts, and
  // opened again if that fails.
  std::function<void()> close_admin;
  std::function<void()> open_admin;
  // Lines for the service manager.
  std::function<void(const std::string& state)> tell_manager;
  std::string serving;  // the status that the service manager has otherwise
};

class HandOver {
 public:
  explicit HandOver(HandOverHooks hooks) : hooks_(std::move(hooks)) {}

  // Starts a successor, unless one is on its way. What fails is in the log.
  void Begin();
  // Whether the successor serves now: this process is to take no more connections. Never waits.
  bool IsDone();

 private:
  void Fail(const std::string& why);

  const HandOverHooks hooks_;
  std::unique_ptr<Successor> successor_;
};

}  // namespace dragoman
