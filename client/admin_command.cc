#include <map>
#include <optional>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "client/admin_client.h"
#include "client/command.h"

namespace dragoman {
namespace {

struct AdminOptions {
  std::string server;
  double timeout = 600;
  bool if_changed = false;
  std::optional<double> limit;
  std::map<std::string, std::string> settings;
};

// An action: what it does, how many arguments it takes and which flags it obeys.
struct Action {
  const char* name;
  const char* arguments;
  size_t least;
  size_t most;
  absl::StatusOr<std::string> (*run)(AdminClient* client, const AdminOptions& options,
                                     const std::vector<std::string>& arguments);
};

std::string Version(const v1::Model& model) {
  return absl::StrCat(model.name(), " version ", model.version(), " ", model.checksum());
}

absl::StatusOr<std::string> Load(AdminClient* client, const AdminOptions& options,
                                 const std::vector<std::string>& arguments) {
  const auto answer =
      client->LoadModel(arguments[0], arguments.size() > 1 ? arguments[1] : "", options.settings);
  if (!answer.ok()) return answer.status();
  return absl::StrCat("loaded ", Version(answer->model()));
}

absl::StatusOr<std::string> Reload(AdminClient* client, const AdminOptions& options,
                                   const std::vector<std::string>& arguments) {
  const auto answer = client->ReloadModel(arguments[0], options.if_changed);
  if (!answer.ok()) return answer.status();
  return absl::StrCat(answer->reloaded() ? "reloaded " : "unchanged ", Version(answer->model()));
}

absl::StatusOr<std::string> Unload(AdminClient* client, const AdminOptions& /*options*/,
                                   const std::vector<std::string>& arguments) {
  const auto answer = client->UnloadModel(arguments[0]);
  if (!answer.ok()) return answer.status();
  return absl::StrCat("unloaded ", arguments[0], ", ", answer->calls_left(), " calls go on");
}

absl::StatusOr<std::string> Drain(AdminClient* client, const AdminOptions& options,
                                  const std::vector<std::string>& /*arguments*/) {
  std::optional<std::chrono::nanoseconds> limit;
  if (options.limit.has_value()) limit = Seconds(*options.limit);
  const auto answer = client->Drain(limit);
  if (!answer.ok()) return answer.status();
  return absl::StrCat("drained, ", answer->cancelled(), " calls cut off");
}

absl::StatusOr<std::string> SetLevel(AdminClient* client, const AdminOptions& /*options*/,
                                     const std::vector<std::string>& arguments) {
  const auto answer = client->SetLogLevel(arguments[0]);
  if (!answer.ok()) return answer.status();
  return absl::StrCat("log level ", arguments[0], ", before ", answer->previous());
}

constexpr Action kActions[] = {
    {"load", "NAME [DIR] [--set SETTING=VALUE ...]", 1, 2, Load},
    {"reload", "NAME [--if-changed]", 1, 1, Reload},
    {"unload", "NAME", 1, 1, Unload},
    {"drain", "[--limit S]", 0, 0, Drain},
    {"log-level", "LEVEL", 1, 1, SetLevel},
};

std::string About() {
  std::string about =
      "Changes what a daemon serves, by its --admin-listen address. A change is of that one "
      "process\n"
      "and ends with it: other daemons behind the same name do not hear of it, and a restart "
      "serves\n"
      "what the daemon's own settings name.\n";
  for (const Action& action : kActions) {
    absl::StrAppend(&about, "\n  dragoman admin ", action.name, " ", action.arguments);
  }
  return about;
}

const Action* FindAction(const std::string& name) {
  for (const Action& action : kActions) {
    if (name == action.name) return &action;
  }
  return nullptr;
}

// Names a given flag that the action does not take, or returns "".
std::string WrongFlag(const Action& action, const AdminOptions& options) {
  if (!options.settings.empty() && action.run != Load) return "--set";
  if (options.if_changed && action.run != Reload) return "--if-changed";
  if (options.limit.has_value() && action.run != Drain) return "--limit";
  return "";
}

}  // namespace

int AdminCommand(const Io& io, const Arguments& arguments) {
  AdminOptions options;
  const std::string variable = io.environment ? io.environment("DRAGOMAN_ADMIN") : "";
  options.server = variable.empty() ? "localhost:50052" : variable;
  FlagTable flags;
  flags.String("server", "ADDR", &options.server,
               "the daemon's --admin-listen, host:port or unix:PATH\n"
               "(default: DRAGOMAN_ADMIN, else localhost:50052)");
  flags.Custom(
      "set", "SETTING=VALUE", true,
      [&options](const std::string& text) -> std::string {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) return "SETTING=VALUE";
        options.settings[text.substr(0, equals)] = text.substr(equals + 1);
        return "";
      },
      "load: a flag of the daemon for this model alone, as max-rows=64");
  flags.Bool("if-changed", &options.if_changed, "reload: only if the files have changed");
  flags.OptionalNumber("limit", "S", 0, 86400, &options.limit,
                       "drain: seconds that calls have to finish (default: the daemon's)");
  flags.Number("timeout", "S", 0.001, 86400, &options.timeout,
               "seconds to wait for the answer (default: 600)");
  std::vector<std::string> positional;
  int exit_status = kExitOk;
  if (!ParseCommand(io, "admin ACTION [flags]", About(), arguments, 3, &flags, &positional,
                    &exit_status)) {
    if (io.description != nullptr) {
      for (const Action& action : kActions) io.description->words.emplace_back(action.name);
    }
    return exit_status;
  }
  if (positional.empty()) return UsageError(io, "admin", "no action");
  const Action* const action = FindAction(positional[0]);
  if (action == nullptr) return UsageError(io, "admin", "unknown action '" + positional[0] + "'");
  positional.erase(positional.begin());
  const std::string usage = absl::StrCat(action->name, " ", action->arguments);
  if (positional.size() < action->least || positional.size() > action->most) {
    return UsageError(io, "admin",
                      absl::StrCat("found ", positional.size(), " arguments, expected ", usage));
  }
  if (const std::string wrong = WrongFlag(*action, options); !wrong.empty()) {
    return UsageError(io, "admin", absl::StrCat("found ", wrong, ", expected ", usage));
  }
  AdminClient client(options.server, Seconds(options.timeout));
  const absl::StatusOr<std::string> done = action->run(&client, options, positional);
  if (!done.ok()) return Fail(io, "admin", done.status());
  io.out << *done << "\n";
  // Not on standard output, which scripts read.
  if (action->run == Load || action->run == Unload) {
    io.err << "dragoman admin: note: this holds in the daemon at " << options.server
           << " until it ends; for its next start, and for other daemons, change their settings\n";
  }
  return kExitOk;
}

}  // namespace dragoman
