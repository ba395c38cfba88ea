// The commands of `dragoman`: what they share.
//
// A command takes its arguments and the process's streams, and returns the exit status:
// 0 all went well, 1 something failed (said on `err`), 2 the command line is wrong.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/commands/flags.h"
#include "client/translation_client.h"

namespace dragoman::client {

// A command and its flags, as programs need them.
struct CommandDescription {
  std::string usage;  // as "models [flags]"
  std::string about;
  std::vector<std::string> words;  // of its first argument, where that is one of a few
  std::vector<FlagTable::Description> flags;
};

// The streams of the process, borrowed.
struct Io {
  int in_fd = 0;
  std::ostream& out;
  std::ostream& err;
  bool in_terminal = false;
  bool out_terminal = false;
  bool err_terminal = false;
  // Width of the terminal.
  int columns = 80;
  // Content of an environment variable, or "".
  std::function<std::string(const std::string&)> environment;
  // Set: a command fills it in and does nothing else.
  CommandDescription* description = nullptr;
};

enum ExitStatus : int { kExitOk = 0, kExitFailed = 1, kExitUsage = 2 };

using Arguments = std::vector<std::string>;

int TranslateCommand(const Io& io, const Arguments& arguments);
int DetectCommand(const Io& io, const Arguments& arguments);
int LoadCommand(const Io& io, const Arguments& arguments);
int PlanCommand(const Io& io, const Arguments& arguments);
int KeyCommand(const Io& io, const Arguments& arguments);
int HealthCommand(const Io& io, const Arguments& arguments);
int ModelsCommand(const Io& io, const Arguments& arguments);
int LanguagesCommand(const Io& io, const Arguments& arguments);
int AdminCommand(const Io& io, const Arguments& arguments);

// Runs what `arguments` (without the program's name) ask for; also help and --version.
int RunDragoman(const Io& io, const Arguments& arguments);

// --server and how to talk to it, the same for all commands: DRAGOMAN_SERVER or localhost:50051 by
// default. An API key comes from a file or DRAGOMAN_API_KEY, because others see a command's flags.
void AddServerFlags(FlagTable* flags, ClientOptions* options, const Io& io);

// The part of these that is about TLS.
void AddTlsFlags(FlagTable* flags, ChannelSecurity* security);

// Parses; handles --help and a wanted description. Returns true if the command is to go on, else
// `*exit_status` is set. `usage` is what follows "dragoman", as "models [flags]"; at most
// `max_positional` arguments that are not flags.
bool ParseCommand(const Io& io, const std::string& usage, const std::string& about,
                  const Arguments& arguments, size_t max_positional, FlagTable* flags,
                  std::vector<std::string>* positional, int* exit_status);

// Prints "dragoman NAME: message" and returns the exit status of the kind.
int Fail(const Io& io, const std::string& command, const absl::Status& status);
int UsageError(const Io& io, const std::string& command, const std::string& message);

// `seconds` as a duration.
std::chrono::nanoseconds Seconds(double seconds);

}  // namespace dragoman::client
