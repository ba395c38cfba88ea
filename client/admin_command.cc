#include <map>
#include <optional>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/admin_client.h"
#include "client/admin_fleet.h"
#include "client/channel_security.h"
#include "client/command.h"

namespace dragoman {
namespace {

struct AdminOptions {
  std::string server;
  ChannelSecurity security;
  double timeout = 600;
  int64_t parallel = 1;
  bool if_changed = false;
  std::optional<double> limit;
  std::optional<double> percent;
  std::map<std::string, std::string> settings;
};

// An action: what it does, how many arguments it takes and which flags it obeys.
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

// The answer about one version of a model; `done` is what was done to it.
AdminAnswer Answer(const v1::Model& model, const std::string& done, bool kept = true) {
  AdminAnswer answer;
  answer.rows = {{model.name(), absl::StrCat(model.version()), done}};
  answer.text =
      absl::StrCat(done, " ", model.name(), " version ", model.version(), " ", model.checksum());
  answer.kept = kept;
  return answer;
}

AdminAnswer Load(AdminClient* client, const AdminOptions& options,
                 const std::vector<std::string>& arguments) {
  const auto answer =
      client->LoadModel(arguments[0], arguments.size() > 1 ? arguments[1] : "", options.settings);
  if (!answer.ok()) return Failed(answer.status());
  return Answer(answer->model(), "loaded", answer->kept());
}

AdminAnswer Reload(AdminClient* client, const AdminOptions& options,
                   const std::vector<std::string>& arguments) {
  const auto answer = client->ReloadModel(arguments[0], options.if_changed);
  if (!answer.ok()) return Failed(answer.status());
  return Answer(answer->model(), answer->reloaded() ? "reloaded" : "unchanged");
}

AdminAnswer Unload(AdminClient* client, const AdminOptions& /*options*/,
                   const std::vector<std::string>& arguments) {
  const auto done = client->UnloadModel(arguments[0]);
  if (!done.ok()) return Failed(done.status());
  AdminAnswer answer;
  answer.rows = {{arguments[0], "", "unloaded"}};
  answer.text = absl::StrCat("unloaded ", arguments[0], ", ", done->calls_left(), " calls go on");
  answer.kept = done->kept();
  return answer;
}

AdminAnswer Canary(AdminClient* client, const AdminOptions& options,
                   const std::vector<std::string>& arguments) {
  const auto answer = client->SetCanary(arguments[0], arguments.size() > 1 ? arguments[1] : "",
                                        options.settings, options.percent.value_or(0));
  if (!answer.ok()) return Failed(answer.status());
  return Answer(answer->model(), absl::StrCat("canary of ", answer->model().canary_percent(), " %"),
                answer->kept());
}

AdminAnswer EndCanary(AdminClient* client, const std::string& name, bool promote) {
  const auto done = client->EndCanary(name, promote);
  if (!done.ok()) return Failed(done.status());
  AdminAnswer answer =
      Answer(done->model(), promote ? "promoted" : "canary withdrawn, serving", done->kept());
  absl::StrAppend(&answer.text, ", ", done->calls_left(), " calls go on with the other version");
  return answer;
}

AdminAnswer Promote(AdminClient* client, const AdminOptions& /*options*/,
                    const std::vector<std::string>& arguments) {
  return EndCanary(client, arguments[0], true);
}

AdminAnswer Withdraw(AdminClient* client, const AdminOptions& /*options*/,
                     const std::vector<std::string>& arguments) {
  return EndCanary(client, arguments[0], false);
}

std::string StateOf(const v1::Model& model) {
  switch (model.state()) {
    case v1::Model::SERVING:
      return "serving";
    case v1::Model::DRAINING:
      return "draining";
    case v1::Model::LOADING:
      return "loading";
    case v1::Model::FAILED:
      return "failed";
    case v1::Model::CANARY:
      return absl::StrCat("canary of ", model.canary_percent(), " %");
    default:
      return "unknown";
  }
}

AdminAnswer List(AdminClient* client, const AdminOptions& /*options*/,
                 const std::vector<std::string>& /*arguments*/) {
  const auto list = client->ListModels();
  if (!list.ok()) return Failed(list.status());
  AdminAnswer answer;
  for (const v1::Model& model : list->models()) {
    answer.rows.push_back(
        {model.name(), model.version() == 0 ? "" : absl::StrCat(model.version()), StateOf(model)});
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
  answer.rows = {{"", "", answer.text}};
  return answer;
}

AdminAnswer SetLevel(AdminClient* client, const AdminOptions& /*options*/,
                     const std::vector<std::string>& arguments) {
  const auto done = client->SetLogLevel(arguments[0]);
  if (!done.ok()) return Failed(done.status());
  AdminAnswer answer;
  answer.text = absl::StrCat("log level ", arguments[0], ", before ", done->previous());
  answer.rows = {{"", "", answer.text}};
  return answer;
}

constexpr Action kActions[] = {
    {"list", "", 0, 0, List},
    {"load", "NAME [DIR] [--set SETTING=VALUE ...]", 1, 2, Load},
    {"reload", "NAME [--if-changed]", 1, 1, Reload},
    {"unload", "NAME", 1, 1, Unload},
    {"canary", "NAME [DIR] --percent P [--set SETTING=VALUE ...]", 1, 2, Canary},
    {"promote", "NAME", 1, 1, Promote},
    {"withdraw", "NAME", 1, 1, Withdraw},
    {"drain", "[--limit S]", 0, 0, Drain},
    {"log-level", "LEVEL", 1, 1, SetLevel},
};

std::string About() {
  std::string about =
      "Changes what a daemon serves, by its --admin-listen address, or what a whole fleet does.\n"
      "Of a fleet every daemon is asked, and the results are one table; the exit status is 1 if\n"
      "one failed. Nothing is undone then: daemons that changed stay changed, the others are as\n"
      "they were, and the same command may be run again. Changes of models are lost when the\n"
      "daemon ends, unless it keeps them (--models-file and --admin-writes): a restart serves\n"
      "what the daemon's settings name.\n";
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

// Names a given flag that the action does not take, or returns "".
std::string WrongFlag(const Action& action, const AdminOptions& options) {
  if (!options.settings.empty() && action.run != Load && action.run != Canary) return "--set";
  if (options.percent.has_value() && action.run != Canary) return "--percent";
  if (options.if_changed && action.run != Reload) return "--if-changed";
  if (options.limit.has_value() && action.run != Drain) return "--limit";
  return "";
}

// Asks the daemons, and prints what they say.
int Run(const Io& io, const Action& action, AdminOptions options,
        const std::vector<std::string>& arguments) {
  const absl::StatusOr<AdminTargets> targets = ResolveTargets(options.server);
  if (!targets.ok()) return Fail(io, "admin", targets.status());
  const absl::Status secure = CheckSecurity(options.security, targets->addresses.front());
  if (!secure.ok()) return Fail(io, "admin", secure);
  // The certificate is that of the name, not that of each address.
  if (options.security.server_name.empty()) options.security.server_name = targets->host;
  const std::vector<AdminAnswer> answers =
      AskAll(*targets, static_cast<int>(options.parallel), [&](const std::string& address) {
        AdminClient client(address, options.security, Seconds(options.timeout));
        return action.run(&client, options, arguments);
      });
  size_t failed = 0;
  bool kept = true;
  for (const AdminAnswer& answer : answers) {
    failed += answer.status.ok() ? 0 : 1;
    kept = kept && (answer.kept || !answer.status.ok());
  }
  const AdminAnswer& first = answers.front();
  if (targets->is_fleet || (action.run == List && failed == 0)) {
    io.out << TableOf(answers);
  } else if (failed == 0) {
    io.out << first.text << "\n";
  } else {
    return Fail(io, "admin", first.status);
  }
  // Not on standard output, which scripts read.
  if (!kept) {
    io.err << "dragoman admin: note: this holds in the daemon at " << options.server
           << " until it ends; for its next start change its settings, or let it keep changes "
              "(--models-file and --admin-writes)\n";
  }
  if (failed == 0) return kExitOk;
  io.err << "dragoman admin: " << failed << " of " << answers.size()
         << " daemons failed and are as they were";
  if (failed < answers.size() && action.run != List) {
    io.err << ", the others have changed and stay so; the same command may be run again";
  }
  io.err << "\n";
  return kExitFailed;
}

}  // namespace

int AdminCommand(const Io& io, const Arguments& arguments) {
  AdminOptions options;
  const std::string variable = io.environment ? io.environment("DRAGOMAN_ADMIN") : "";
  options.server = variable.empty() ? "localhost:50052" : variable;
  FlagTable flags;
  flags.String("server", "ADDR", &options.server,
               "the daemon's --admin-listen, host:port or unix:PATH, or of a fleet several\n"
               "with commas between, or dns:///host:port for every address of the host\n"
               "(default: DRAGOMAN_ADMIN, else localhost:50052)");
  flags.Int("parallel", "N", 1, 1000, &options.parallel,
            "daemons of a fleet that are changed at a time (default: 1, so that no\n"
            "more than one is busy with loading)");
  AddTlsFlags(&flags, &options.security);
  flags.Custom(
      "set", "SETTING=VALUE", true,
      [&options](const std::string& text) -> std::string {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) return "SETTING=VALUE";
        options.settings[text.substr(0, equals)] = text.substr(equals + 1);
        return "";
      },
      "load, canary: a flag of the daemon for this model alone, as max-rows=64");
  flags.OptionalNumber("percent", "P", 0, 100, &options.percent,
                       "canary: the share of the model's calls that DIR gets, or without DIR that\n"
                       "the canary gets from now on");
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
  if (action->run == Canary && !options.percent.has_value()) {
    return UsageError(io, "admin", absl::StrCat("found no --percent, expected ", usage));
  }
  return Run(io, *action, std::move(options), positional);
}

}  // namespace dragoman
