// The daemons that an admin command is for: one, or every one behind a name.
//
// Functions that block: a name server is asked, and threads are started for several daemons at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman {

struct AdminTargets {
  std::vector<std::string> addresses;  // as gRPC takes them; at least one
  bool is_fleet = false;               // several may be meant, even if there is one
  std::string host;                    // the name that the addresses are of; "": each is its own
};

// `server`: host:port or unix:PATH for one daemon; dns:///host:port for every address that the host
// has now; several of the first form with commas between. INVALID_ARGUMENT for other texts,
// UNAVAILABLE for a host without an address.
absl::StatusOr<AdminTargets> ResolveTargets(const std::string& server);

// The result of one daemon, as a line of a table has it.
struct AdminRow {
  std::string model;
  std::string version;
  std::string state;  // what was done, or what is
};

struct AdminAnswer {
  std::string address;
  absl::Status status;
  std::vector<AdminRow> rows;  // where the status is OK
  std::string text;            // the same in one line
  bool kept = true;            // a restart does not lose what was changed
};

// Asks every daemon, `parallel` at a time, and goes on where one fails. In the order of `targets`.
std::vector<AdminAnswer> AskAll(const AdminTargets& targets, int parallel,
                                const std::function<AdminAnswer(const std::string&)>& ask);

// A table of all answers, one line for each row or error.
std::string TableOf(const std::vector<AdminAnswer>& answers);

}  // namespace dragoman
