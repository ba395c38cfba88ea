#include <poll.h>

#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <variant>
#include <vector>

#include "client/command.h"
#include "client/line_source.h"
#include "client/mailbox.h"
#include "client/mcp_protocol.h"
#include "client/mcp_tools.h"

namespace dragoman {
namespace {

constexpr const char kMcpAbout[] =
    "Serves the Model Context Protocol on standard input and output: an assistant that starts it\n"
    "can translate with the tools translate, detect, languages and glossaries.\n\n"
    "For example, in the configuration of an assistant:\n\n"
    "  {\"mcpServers\": {\"dragoman\": {\"command\": \"dragoman\",\n"
    "    \"args\": [\"mcp\", \"--server\", \"localhost:50051\"]}}}";

// A message of a call of translate, or the end of that call, or the answer of another tool; from gRPC's
// threads.
struct McpEvent {
  McpProtocol::CallNumber call = 0;
  std::variant<v1::StreamTranslateResponse, absl::Status, McpResult> what;
};

// A call that is not answered yet.
struct Running {
  TranslationClient::CancelCall cancel;
  // The results of translate, and how many have come.
  std::vector<v1::Translation> translations;
  int done = 0;
};

// One thread reads requests and sends answers. Calls are under way meanwhile, so that a cancellation or a
// ping waits for no daemon.
class Server {
 public:
  Server(const Io& io, TranslationClient* client)
      : io_(io),
        client_(*client),
        mailbox_(std::make_shared<Mailbox<McpEvent>>()),
        protocol_(
            McpTools(), DRAGOMAN_VERSION,
            {.send = [this](const std::string& line) { io_.out << line << std::endl; },
             .start = [this](McpProtocol::CallNumber number, McpCall call) { Start(number, call); },
             .cancel = [this](McpProtocol::CallNumber number) { Cancel(number); }}) {}

  // Returns when the input has ended and every call is answered. An error is that of reading or writing.
  absl::Status Run() {
    if (mailbox_->fd() < 0) return absl::ErrnoToStatus(errno, "cannot make an eventfd");
    LineSource source(io_.in_fd);
    absl::Status input;
    std::vector<McpEvent> events;
    while (!source.ended() || !calls_.empty()) {
      pollfd fds[2] = {{mailbox_->fd(), POLLIN, 0}, {source.fd(), POLLIN, 0}};
      poll(fds, source.ended() ? 1 : 2, -1);
      mailbox_->TakeAll(&events);
      for (McpEvent& event : events) Handle(event);
      if (!source.ended() && fds[1].revents != 0) {
        std::deque<std::string> lines;
        if (absl::Status status = source.Read(&lines); !status.ok()) input = status;
        for (const std::string& line : lines) {
          if (LineSource::TooLong(line)) {
            protocol_.RefuseLine("found a line of more than 16 MiB, expected a shorter message");
          } else {
            protocol_.OnLine(line);
          }
        }
      }
      if (!io_.out) return absl::UnavailableError("could not write to standard output");
    }
    return input;
  }

 private:
  void Start(McpProtocol::CallNumber number, const McpCall& call) {
    if (call.tool == "translate") return Translate(number, call.arguments);
    if (call.tool == "languages") return Languages(number, call.arguments);
    if (call.tool == "glossaries") return Glossaries(number, call.arguments);
    Detect(number, call.arguments);
  }

  // Makes the function that takes a call's answer and sends its result, made by `result`, to the
  // owner's thread.
  template <typename Response, typename Result>
  auto Answerer(McpProtocol::CallNumber number, Result result) {
    return [mailbox = mailbox_, number,
            result = std::move(result)](const absl::StatusOr<Response>& response) {
      mailbox->Push({number, response.ok() ? result(*response) : McpError(response.status())});
    };
  }

  void Languages(McpProtocol::CallNumber number, const McpJson& arguments) {
    const auto wanted = McpLanguagesArguments(arguments);
    if (!wanted.ok()) return protocol_.Answer(number, McpError(wanted.status()));
    calls_[number].cancel = client_.ListLanguagesAsync(
        wanted->model, Answerer<v1::ListLanguagesResponse>(number, [wanted](const auto& response) {
          return McpLanguagesResult(response, *wanted);
        }));
  }

  void Glossaries(McpProtocol::CallNumber number, const McpJson& arguments) {
    const auto wanted = McpGlossariesArguments(arguments);
    if (!wanted.ok()) return protocol_.Answer(number, McpError(wanted.status()));
    calls_[number].cancel = client_.ListModelsAsync(Answerer<v1::ListModelsResponse>(
        number,
        [wanted](const auto& response) { return McpGlossariesResult(response, wanted->model); }));
  }

  void Detect(McpProtocol::CallNumber number, const McpJson& arguments) {
    const auto request = McpDetectRequest(arguments);
    if (!request.ok()) return protocol_.Answer(number, McpError(request.status()));
    calls_[number].cancel = client_.DetectLanguageAsync(
        *request, Answerer<v1::DetectLanguageResponse>(number, McpDetectResult));
  }

  void Translate(McpProtocol::CallNumber number, const McpJson& arguments) {
    auto request = McpTranslateRequest(arguments);
    if (!request.ok()) return protocol_.Answer(number, McpError(request.status()));
    Running& call = calls_[number];
    call.translations.resize(static_cast<size_t>(request->contents_size()));
    call.cancel = client_.StreamTranslateAsync(
        std::make_shared<v1::TranslateRequest>(*std::move(request)),
        [mailbox = mailbox_, number](const auto& message) {
          if (message.has_translation() || message.has_error()) mailbox->Push({number, message});
          return true;
        },
        [mailbox = mailbox_, number](const absl::Status& status) {
          mailbox->Push({number, status});
        });
  }

  void Cancel(McpProtocol::CallNumber number) {
    const auto found = calls_.find(number);
    if (found == calls_.end()) return;
    found->second.cancel();
    calls_.erase(found);
  }

  void Handle(McpEvent& event) {
    const auto found = calls_.find(event.call);
    if (found == calls_.end()) return;
    Running& call = found->second;
    const auto total = static_cast<int>(call.translations.size());
    if (auto* message = std::get_if<v1::StreamTranslateResponse>(&event.what)) {
      if (message->item() < 0 || message->item() >= total) return;
      v1::Translation& translation = call.translations[static_cast<size_t>(message->item())];
      if (message->has_translation()) {
        translation = std::move(*message->mutable_translation());
      } else {
        *translation.mutable_error() = message->error();
      }
      return protocol_.Progress(event.call, ++call.done, total);
    }
    if (const auto* result = std::get_if<McpResult>(&event.what)) {
      protocol_.Answer(event.call, *result);
      calls_.erase(found);
      return;
    }
    absl::Status status = std::get<absl::Status>(event.what);
    if (status.ok() && call.done != total) {
      status = absl::InternalError("the server's answer has no result for some of the texts");
    }
    protocol_.Answer(event.call,
                     status.ok() ? McpTranslateResult(call.translations) : McpError(status));
    calls_.erase(found);
  }

  const Io& io_;
  TranslationClient& client_;
  const std::shared_ptr<Mailbox<McpEvent>> mailbox_;
  std::map<McpProtocol::CallNumber, Running> calls_;
  McpProtocol protocol_;
};

}  // namespace

int McpCommand(const Io& io, const Arguments& arguments) {
  ClientOptions options;
  double timeout = 120;
  FlagTable flags;
  AddServerFlags(&flags, &options, io);
  flags.Number("timeout", "S", 0.001, 86400, &timeout,
               "seconds that a call with its retries may take (default: 120)");
  std::vector<std::string> positional;
  int exit_status = kExitOk;
  if (!ParseCommand(io, "mcp [flags]", kMcpAbout, arguments, 0, &flags, &positional,
                    &exit_status)) {
    return exit_status;
  }
  options.timeout = Seconds(timeout);
  const auto client = TranslationClient::Create(options);
  if (!client.ok()) return UsageError(io, "mcp", std::string(client.status().message()));
  const absl::Status status = Server(io, client->get()).Run();
  return status.ok() ? kExitOk : Fail(io, "mcp", status);
}

}  // namespace dragoman
