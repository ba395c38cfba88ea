#include <algorithm>
#include <map>
#include <optional>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/admin_client.h"
#include "client/channel_security.h"
#include "client/commands/command.h"

namespace dragoman::client {
namespace {

struct AdminOptions {
  std::string server;
  ChannelSecurity security;
  double timeout = 600;
  bool all = false;
  bool if_changed = false;
  std::optional<double> limit;
  std::map<std::string, std::string> settings;
};

// The result of an action of `dragoman admin`.
struct AdminAnswer {
  absl::Status status;
  std::string text;     // for users, without a line feed at the end
  std::string note;     // a further note for users; "": none
  bool failed = false;  // the action failed although the call was OK; `text` says why
};

// An action of `dragoman admin`: its name, its arguments and its function.
struct Action {
  const char* name;
  const char* arguments;
  size_t least;
  size_t most;
  AdminAnswer (*run)(AdminClient* client, const AdminOptions& options,
                     const std::vector<std::string>& arguments);
};

AdminAnswer Failed(const absl::Status& status) {
  AdminAnswer answer;
  answer.status = status;
  return answer;
}

constexpr char kUntilItEnds[] =
    "this holds until the daemon ends; the next start serves what its configuration names";

// Returns the answer about one version of a model. `done` is the verb for what was done with it.
AdminAnswer Answer(const v1::Model& model, const std::string& done) {
  AdminAnswer answer;
  answer.text =
      absl::StrCat(done, " ", model.name(), " version ", model.version(), " ", model.checksum());
  return answer;
}

AdminAnswer Load(AdminClient* client, const AdminOptions& options,
                 const std::vector<std::string>& arguments) {
  const auto answer =
      client->LoadModel(arguments[0], arguments.size() > 1 ? arguments[1] : "", options.settings);
  if (!answer.ok()) return Failed(answer.status());
  AdminAnswer loaded = Answer(answer->model(), "loaded");
  loaded.note = kUntilItEnds;
  return loaded;
}

// Returns the name of an enum's value in lower case, or "unknown".
std::string Word(const std::string& name) {
  const bool known = !name.empty() && !absl::EndsWith(name, "_UNSPECIFIED");
  return known ? absl::AsciiStrToLower(name) : "unknown";
}

AdminAnswer ReloadAll(AdminClient* client) {
  const auto done = client->ReloadAll();
  if (!done.ok()) return Failed(done.status());
  AdminAnswer answer;
  for (const v1::ModelChange& change : done->models()) {
    absl::StrAppend(&answer.text, answer.text.empty() ? "" : "\n",
                    Word(v1::ModelChange::Kind_Name(change.kind())), " ", change.name());
    if (change.version() > 0) absl::StrAppend(&answer.text, " version ", change.version());
    if (!change.error().empty()) absl::StrAppend(&answer.text, ": ", change.error());
    answer.failed = answer.failed || change.kind() == v1::ModelChange::FAILED;
  }
  if (done->settings_at_next_start_size() > 0) {
    answer.note = absl::StrCat("settings that take effect at the next start: ",
                               absl::StrJoin(done->settings_at_next_start(), ", "));
  }
  return answer;
}

AdminAnswer Reload(AdminClient* client, const AdminOptions& options,
                   const std::vector<std::string>& arguments) {
  if (options.all) return ReloadAll(client);
  const auto answer = client->ReloadModel(arguments[0], options.if_changed);
  if (!answer.ok()) return Failed(answer.status());
  return Answer(answer->model(), answer->reloaded() ? "reloaded" : "unchanged");
}

AdminAnswer Unload(AdminClient* client, const AdminOptions& /*options*/,
                   const std::vector<std::string>& arguments) {
  const auto done = client->UnloadModel(arguments[0]);
  if (!done.ok()) return Failed(done.status());
  AdminAnswer answer;
  answer.text = absl::StrCat("unloaded ", arguments[0], ", ", done->calls_left(), " calls go on");
  answer.note = kUntilItEnds;
  return answer;
}

AdminAnswer List(AdminClient* client, const AdminOptions& /*options*/,
                 const std::vector<std::string>& /*arguments*/) {
  const auto list = client->ListModels();
  if (!list.ok()) return Failed(list.status());
  size_t width = 0;
  for (const v1::Model& model : list->models()) width = std::max(width, model.name().size());
  const auto line = [width](const std::string& model, const std::string& version,
                            const std::string& state) {
    return absl::StrFormat("%-*s  %-7s  %s", width, model, version, state);
  };
  AdminAnswer answer;
  answer.text = line("MODEL", "VERSION", "STATE");
  for (const v1::Model& model : list->models()) {
    const std::string version = model.version() == 0 ? "-" : absl::StrCat(model.version());
    absl::StrAppend(&answer.text, "\n",
                    line(model.name(), version, Word(v1::Model::State_Name(model.state()))));
  }
  return answer;
}

AdminAnswer Drain(AdminClient* client, const AdminOptions& options,
                  const std::vector<std::string>& /*arguments*/) {
  std::optional<std::chrono::nanoseconds> limit;
  if (options.limit.has_value()) limit = Seconds(*options.limit);
  const auto done = client->Drain(limit);
  if (!done.ok()) return Failed(done.status());
  AdminAnswer answer;
  answer.text = absl::StrCat("drained, ", done->cancelled(), " calls cut off");
  return answer;
}

AdminAnswer SetLevel(AdminClient* client, const AdminOptions& /*options*/,
                     const std::vector<std::string>& arguments) {
  const auto done = client->SetLogLevel(arguments[0]);
  if (!done.ok()) return Failed(done.status());
  AdminAnswer answer;
  answer.text = absl::StrCat("log level ", arguments[0], ", before ", done->previous());
  return answer;
}

constexpr Action kActions[] = {
    {"list", "", 0, 0, List},
    {"load", "NAME [DIR] [--set SETTING=VALUE ...]", 1, 2, Load},
    {"reload", "NAME [--if-changed] | --all", 0, 1, Reload},
    {"unload", "NAME", 1, 1, Unload},
    {"drain", "[--limit S]", 0, 0, Drain},
    {"log-level", "LEVEL", 1, 1, SetLevel},
};

std::string About() {
  std::string about =
      "Changes what a daemon serves, by its --admin-listen address. 'reload --all' applies the\n"
      "daemon's configuration (--config and --models-dir) again, as SIGHUP does. What the other\n"
      "actions change holds until the daemon ends.\n";
  for (const Action& action : kActions) {
    absl::StrAppend(&about, "\n  dragoman admin ", action.name);
    if (*action.arguments != '\0') absl::StrAppend(&about, " ", action.arguments);
  }
  return about;
}

const Action* FindAction(const std::string& name) {
  for (const Action& action : kActions) {
    if (name == action.name) return &action;
  }
  return nullptr;
}

// Returns a flag that was given but that the action does not accept, or "".
std::string WrongFlag(const Action& action, const AdminOptions& options) {
  if (!options.settings.empty() && action.run != Load) return "--set";
  if (options.all && action.run != Reload) return "--all";
  if (options.if_changed && action.run != Reload) return "--if-changed";
  if (options.limit.has_value() && action.run != Drain) return "--limit";
  return "";
}

// Makes the action's call and prints the answer.
int Run(const Io& io, const Action& action, const AdminOptions& options,
        const std::vector<std::string>& arguments) {
  const absl::Status secure = CheckSecurity(options.security, options.server);
  if (!secure.ok()) return Fail(io, "admin", secure);
  AdminClient client(options.server, options.security, Seconds(options.timeout));
  const AdminAnswer answer = action.run(&client, options, arguments);
  if (!answer.status.ok()) return Fail(io, "admin", answer.status);
  io.out << answer.text << "\n";
  // Notes go to standard error, because scripts read standard output.
  if (!answer.note.empty()) io.err << "dragoman admin: note: " << answer.note << "\n";
  return answer.failed ? kExitFailed : kExitOk;
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
  AddTlsFlags(&flags, &options.security);
  flags.Custom(
      "set", "SETTING=VALUE", true,
      [&options](const std::string& text) -> std::string {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) return "SETTING=VALUE";
        options.settings[text.substr(0, equals)] = text.substr(equals + 1);
        return "";
      },
      "load: a flag of the daemon for this model alone, such as max-rows=64");
  flags.Bool("all", &options.all,
             "reload: read the configuration again; load models that are new, unload those\n"
             "that are gone, reload those whose files or settings have changed");
  flags.Bool("if-changed", &options.if_changed, "reload: only if the files have changed");
  flags.OptionalNumber("limit", "S", 0, 86400, &options.limit,
                       "drain: seconds that calls have to finish (default: the daemon's)");
  flags.Number("timeout", "S", 0.001, 86400, &options.timeout,
               "seconds to wait for the answer (default: 600)");
  std::vector<std::string> positional;
  if (const auto exit_status =
          ParseCommand(io, "admin ACTION [flags]", About(), arguments, &flags, 3, &positional)) {
    if (io.description != nullptr) {
      for (const Action& action : kActions) io.description->words.emplace_back(action.name);
    }
    return *exit_status;
  }
  if (options.server.empty() ||
      (absl::StrContains(options.server, ',') && !absl::StartsWith(options.server, "unix:"))) {
    return UsageError(io, "admin",
                      absl::StrCat("--server: found '", options.server,
                                   "', expected one address: a daemon at a time"));
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
  if (action->run == Reload && options.all == !positional.empty()) {
    return UsageError(
        io, "admin",
        absl::StrCat("found ", options.all ? "both a name and --all" : "neither a name nor --all",
                     ", expected ", usage));
  }
  if (options.all && options.if_changed) {
    return UsageError(io, "admin", absl::StrCat("found --if-changed and --all, expected ", usage));
  }
  return Run(io, *action, options, positional);
}

}  // namespace dragoman::client
