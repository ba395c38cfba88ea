#include "client/commands/command.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "client/status_map.h"

namespace dragoman::client {
namespace {

struct Entry {
  const char* name;
  int (*run)(const Io&, const Arguments&);
  const char* about;
};

constexpr char kAbout[] = "client of the translation server dragomand";

constexpr Entry kCommands[] = {
    {"fetch", FetchCommand, "download models for the server"},
    {"translate", TranslateCommand, "translate text, line in, line out"},
    {"corpus", CorpusCommand, "translate files of lines or records, shard by shard"},
    {"detect", DetectCommand, "detect the language of each line"},
    {"load", LoadCommand, "measure a server's latency and throughput under load"},
    {"plan", PlanCommand, "reckon the replicas, cores and memory that a model needs"},
    {"health", HealthCommand, "ask whether the server is serving; exit with 0 if it is"},
    {"models", ModelsCommand, "list the models that the server has loaded"},
    {"key", KeyCommand, "make an API key for a client of a server"},
    {"languages", LanguagesCommand, "list the language pairs of a model, or of all"},
    {"admin", AdminCommand, "load, unload or try out models, drain, set the log level"},
};

// Reads a file into `text`. Returns "" or, if that fails, a description of the expected file.
std::string ReadInto(const std::string& path, std::string* text) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  *text = bytes.str();
  return file && !text->empty() ? "" : "a file that can be read and is not empty";
}

const Entry* FindCommand(const std::string& name) {
  for (const Entry& entry : kCommands) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

void PrintHelp(std::ostream& out) {
  out << "dragoman: " << kAbout
      << "\n\nUsage: dragoman COMMAND [flags]\n\n"
         "Commands:\n";
  for (const Entry& entry : kCommands) {
    std::string name = entry.name;
    name.resize(12, ' ');
    out << "  " << name << entry.about << "\n";
  }
  out << "  help        print this text, or with a COMMAND that command's flags; with --json all,\n"
         "              for programs\n"
         "\n  --version   print the version\n"
         "\nThe server is --server, else the environment variable DRAGOMAN_SERVER, else "
         "localhost:50051.\n";
}

// Prints all commands with their flags as JSON, for programs.
void PrintDescription(const Io& io) {
  using nlohmann::ordered_json;
  ordered_json commands = ordered_json::array();
  for (const Entry& entry : kCommands) {
    CommandDescription description;
    Io describing = io;
    describing.description = &description;
    // The help text must not contain defaults from this machine's environment.
    describing.environment = nullptr;
    entry.run(describing, {});
    ordered_json flags = ordered_json::array();
    for (const FlagTable::Description& flag : description.flags) {
      flags.push_back({{"name", flag.name},
                       {"alias", flag.alias},
                       {"value", flag.value},
                       {"help", flag.help},
                       {"repeats", flag.repeats}});
    }
    commands.push_back({{"name", entry.name},
                        {"summary", entry.about},
                        {"usage", description.usage},
                        {"about", description.about},
                        {"words", description.words},
                        {"flags", flags}});
  }
  const ordered_json out = {{"program", "dragoman"},
                            {"version", DRAGOMAN_VERSION},
                            {"about", kAbout},
                            {"commands", commands}};
  io.out << out.dump(2) << "\n";
}

}  // namespace

int RunDragoman(const Io& io, const Arguments& arguments) {
  if (arguments.empty()) {
    PrintHelp(io.err);
    return kExitUsage;
  }
  const std::string& name = arguments[0];
  if (name == "--version" || name == "version") {
    io.out << "dragoman " << DRAGOMAN_VERSION << "\n";
    return kExitOk;
  }
  if (name == "help" || name == "--help" || name == "-h") {
    if (arguments.size() == 1) {
      PrintHelp(io.out);
      return kExitOk;
    }
    if (arguments[1] == "--json") {
      PrintDescription(io);
      return kExitOk;
    }
    if (const Entry* entry = FindCommand(arguments[1])) return entry->run(io, {"--help"});
    return UsageError(io, "help", "unknown command '" + arguments[1] + "'");
  }
  if (const Entry* entry = FindCommand(name)) {
    return entry->run(io, Arguments(arguments.begin() + 1, arguments.end()));
  }
  io.err << "dragoman: unknown command '" << name << "'; see dragoman help\n";
  return kExitUsage;
}

void AddTlsFlags(FlagTable* flags, ChannelSecurity* security) {
  flags->Bool("tls", &security->tls, "speaks TLS with the server");
  flags->Custom(
      "ca", "FILE", false,
      [security](const std::string& path) {
        security->tls = true;
        return ReadInto(path, &security->authorities);
      },
      "authorities (PEM) that the server's certificate may come from;\n"
      "implies --tls (default: the machine's)");
  flags->Custom(
      "cert", "FILE", false,
      [security](const std::string& path) {
        security->tls = true;
        return ReadInto(path, &security->certificate);
      },
      "the client's own certificate (PEM); implies --tls");
  flags->Custom(
      "key", "FILE", false,
      [security](const std::string& path) { return ReadInto(path, &security->key); },
      "the key (PEM) of --cert");
  flags->String("tls-server-name", "NAME", &security->server_name,
                "name in the server's certificate, where it is not the address's");
}

void AddServerFlags(FlagTable* flags, ClientOptions* options, const Io& io) {
  const auto environment = [&io](const char* name) {
    return io.environment ? io.environment(name) : std::string();
  };
  const std::string server = environment("DRAGOMAN_SERVER");
  options->server = server.empty() ? "localhost:50051" : server;
  flags->String("server", "ADDR", &options->server,
                "address of the server, host:port, or several with commas between, or\n"
                "dns:///name:port for all behind a name, by their health\n"
                "(default: DRAGOMAN_SERVER, else localhost:50051)");
  ChannelSecurity* const security = &options->security;
  AddTlsFlags(flags, security);
  security->api_key = environment("DRAGOMAN_API_KEY");
  flags->Custom(
      "api-key-file", "FILE", false,
      [security](const std::string& path) {
        std::string wrong = ReadInto(path, &security->api_key);
        absl::StripAsciiWhitespace(&security->api_key);
        if (wrong.empty() && !IsApiKey(security->api_key)) wrong = "a file with an API key";
        return wrong;
      },
      "file with the API key (default: DRAGOMAN_API_KEY, else none)");
  flags->Bool("plaintext-key", &security->plaintext_key,
              "sends the API key without --tls to other machines too");
}

std::optional<int> ParseCommand(const Io& io, const std::string& usage, const std::string& about,
                                const Arguments& arguments, FlagTable* flags, size_t max_positional,
                                std::vector<std::string>* positional) {
  if (io.description != nullptr) {
    *io.description = {.usage = usage, .about = about, .words = {}, .flags = flags->Describe()};
    return kExitOk;
  }
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument != "--help" && argument != "-h") continue;
    io.out << "Usage: dragoman " << usage << "\n\n" << about << "\n\n" << flags->Help();
    return kExitOk;
  }
  const std::string command = usage.substr(0, usage.find(' '));
  auto parsed = flags->Parse(arguments);
  if (!parsed.ok()) return UsageError(io, command, std::string(parsed.status().message()));
  if (parsed->size() > max_positional) {
    return UsageError(io, command, "unexpected argument '" + (*parsed)[max_positional] + "'");
  }
  if (positional != nullptr) *positional = *std::move(parsed);
  return std::nullopt;
}

int Fail(const Io& io, const std::string& command, const absl::Status& status) {
  io.err << "dragoman " << command << ": " << ForPeople(status) << "\n";
  return kExitFailed;
}

int UsageError(const Io& io, const std::string& command, const std::string& message) {
  io.err << "dragoman " << command << ": " << message << "; see dragoman help " << command << "\n";
  return kExitUsage;
}

std::chrono::nanoseconds Seconds(double seconds) {
  return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

}  // namespace dragoman::client
