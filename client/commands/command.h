// The commands of the program `dragoman`, and functions that they share.
//
// A command takes its arguments and the process's streams. It returns the exit status: 0 for
// success, 1 for a failure (reported on `err`), 2 for a wrong command line.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/commands/flags.h"
#include "client/translation_client.h"

namespace dragoman::client {

// The description of a command and its flags, which programs read (completions, manual pages).
struct CommandDescription {
  std::string usage;  // such as "models [flags]"
  std::string about;
  std::vector<std::string> words;  // the choices of the first argument, if they are fixed
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
  // Width of the terminal, in characters.
  int columns = 80;
  // Returns the value of an environment variable, or "".
  std::function<std::string(const std::string&)> environment;
  // If set, a command only fills in its description and returns.
  CommandDescription* description = nullptr;
};

enum ExitStatus : int { kExitOk = 0, kExitFailed = 1, kExitUsage = 2 };

using Arguments = std::vector<std::string>;

int TranslateCommand(const Io& io, const Arguments& arguments);
int CorpusCommand(const Io& io, const Arguments& arguments);
int DetectCommand(const Io& io, const Arguments& arguments);
int LoadCommand(const Io& io, const Arguments& arguments);
int PlanCommand(const Io& io, const Arguments& arguments);
int KeyCommand(const Io& io, const Arguments& arguments);
// Replaces this process by the program client/fetch/fetch.py. Returns only if that fails.
int FetchCommand(const Io& io, const Arguments& arguments);
int HealthCommand(const Io& io, const Arguments& arguments);
int ModelsCommand(const Io& io, const Arguments& arguments);
int LanguagesCommand(const Io& io, const Arguments& arguments);
int AdminCommand(const Io& io, const Arguments& arguments);

// Runs the command that arguments[0] names. `arguments` does not include the program's name. Also
// handles help and --version.
int RunDragoman(const Io& io, const Arguments& arguments);

// Adds --server and the other flags of the connection. The default of --server is the environment
// variable DRAGOMAN_SERVER, else localhost:50051. No flag has the API key itself, because other
// users can see a command's flags: it comes from a file or the variable DRAGOMAN_API_KEY.
void AddServerFlags(FlagTable* flags, ClientOptions* options, const Io& io);

// Adds only the flags for TLS.
void AddTlsFlags(FlagTable* flags, ChannelSecurity* security);

// Parses the arguments. Handles --help and io.description. Returns the exit status if the command
// should not continue. `usage` is the text after "dragoman", such as "models [flags]". At most
// `max_positional` arguments may be positional; without any, `positional` may be nullptr.
std::optional<int> ParseCommand(const Io& io, const std::string& usage, const std::string& about,
                                const Arguments& arguments, FlagTable* flags,
                                size_t max_positional = 0,
                                std::vector<std::string>* positional = nullptr);

// Fail and UsageError print "dragoman COMMAND: message". Fail returns kExitFailed, and UsageError
// returns kExitUsage.
int Fail(const Io& io, const std::string& command, const absl::Status& status);
int UsageError(const Io& io, const std::string& command, const std::string& message);

std::chrono::nanoseconds Seconds(double seconds);

}  // namespace dragoman::client
