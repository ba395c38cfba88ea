#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <nlohmann/json.hpp>
#include <ostream>

#include "absl/strings/str_format.h"
#include "client/commands/command.h"
#include "client/commands/line_source.h"
#include "client/commands/translation_json.h"
#include "client/commands/utf8.h"
#include "client/status_map.h"

namespace dragoman::client {
namespace {

constexpr char kDetectAbout[] =
    "Detects the language of each line of FILE, or of standard input, among those that the server\n"
    "translates, and prints language TAB confidence (0 to 1) for each; und TAB 0.000 where it is\n"
    "unknown. A line that fails leaves an empty line and a message on standard error, and the "
    "exit\n"
    "status is 1. Of a long line the first 8 KiB are sent.";

// BCP 47's code for an undetermined language.
constexpr char kUnknown[] = "und";

constexpr size_t kSentBytes = 8 << 10;    // the part of a line that is sent
constexpr size_t kBatchBytes = 16 << 10;  // of the lines of one call; the last line may exceed it
constexpr size_t kBatchLines = 128;

struct DetectFlags {
  ClientOptions client;
  std::string model;
  bool html = false;
  bool json = false;
  double timeout = 120;
};

// Returns at most kSentBytes of the line, without an incomplete code point at the end.
std::string Beginning(const std::string& line) {
  if (line.size() <= kSentBytes) return line;
  size_t end = kSentBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end);
}

class DetectRun {
 public:
  DetectRun(const Io& io, const DetectFlags& options, TranslationClient* client)
      : io_(io), options_(options), client_(*client) {}

  int Loop(int fd) {
    LineSource source(fd);
    std::deque<std::string> lines;
    while (!source.ended()) {
      if (const absl::Status status = source.Read(&lines); !status.ok()) {
        Detect(&lines);
        return Fail(io_, "detect", status);
      }
      Detect(&lines);
      io_.out.flush();
    }
    return failed_ ? kExitFailed : kExitOk;
  }

 private:
  void Detect(std::deque<std::string>* lines) {
    while (!lines->empty()) {
      size_t count = 0;
      size_t bytes = 0;
      while (count < lines->size() && count < kBatchLines && bytes < kBatchBytes) {
        if (FirstInvalidUtf8((*lines)[count])) break;
        bytes += std::min((*lines)[count++].size(), kSentBytes);
      }
      if (count == 0) {
        Report(absl::InvalidArgumentError("not UTF-8"));
        count = 1;
      } else {
        Send({lines->begin(), lines->begin() + static_cast<std::ptrdiff_t>(count)});
      }
      lines->erase(lines->begin(), lines->begin() + static_cast<std::ptrdiff_t>(count));
    }
  }

  void Send(const std::vector<std::string>& lines) {
    v1::DetectLanguageRequest request;
    request.set_model(options_.model);
    if (options_.html) request.set_mime_type("text/html");
    for (const std::string& line : lines) request.add_contents(Beginning(line));
    const auto response = client_.DetectLanguage(request);
    if (response.ok() && response->detections_size() == request.contents_size()) {
      for (const v1::Detection& detection : response->detections()) Print(detection);
      return;
    }
    if (lines.size() > 1 && absl::IsInvalidArgument(response.status())) {
      // The server may have refused the number of lines, or only one of them.
      for (const std::string& line : lines) Send({line});
      return;
    }
    for (size_t i = 0; i < lines.size(); ++i) {
      Report(response.ok() ? absl::InternalError("the server's answer lacks lines")
                           : response.status());
    }
  }

  void Print(const v1::Detection& detection) {
    ++number_;
    if (options_.json) {
      nlohmann::ordered_json languages = nlohmann::ordered_json::array();
      for (const v1::DetectedLanguage& found : detection.languages()) {
        languages.push_back(
            {{"language", found.language_code()}, {"confidence", JsonNumber(found.confidence())}});
      }
      io_.out << JsonLine({{"line", number_}, {"languages", std::move(languages)}}) << '\n';
    } else if (detection.languages().empty()) {
      io_.out << kUnknown << "\t0.000\n";
    } else {
      const v1::DetectedLanguage& best = detection.languages(0);
      io_.out << best.language_code() << '\t' << absl::StrFormat("%.3f", best.confidence()) << '\n';
    }
  }

  void Report(const absl::Status& status) {
    ++number_;
    failed_ = true;
    if (options_.json) {
      io_.out << JsonLine({{"line", number_}, {"error", ErrorToJson(status)}}) << '\n';
    } else {
      io_.out << '\n';
    }
    const std::string text = ForPeople(status);
    if (text == last_error_) return;
    last_error_ = text;
    io_.err << "dragoman detect: line " << number_ << ": " << text << std::endl;
  }

  const Io& io_;
  const DetectFlags& options_;
  TranslationClient& client_;
  int64_t number_ = 0;
  bool failed_ = false;
  std::string last_error_;
};

}  // namespace

int DetectCommand(const Io& io, const Arguments& arguments) {
  DetectFlags options;
  FlagTable flags;
  AddServerFlags(&flags, &options.client, io);
  flags.String("model", "NAME", &options.model,
               "model whose languages are looked for (default: all models)");
  flags.Bool("html", &options.html, "treats the lines as HTML and looks at their text");
  flags.Bool("json", &options.json,
             "prints one JSON object for each line, with all languages that it\n"
             "may be in, best first");
  flags.Number("timeout", "S", 0.001, 86400, &options.timeout,
               "seconds that a request with its retries may take\n"
               "(default: 120)");
  std::vector<std::string> positional;
  if (const auto exit_status = ParseCommand(io, "detect [flags] [FILE]", kDetectAbout, arguments,
                                            &flags, 1, &positional)) {
    return *exit_status;
  }
  options.client.timeout = Seconds(options.timeout);
  options.client.retry.patient = true;
  const auto client = TranslationClient::Create(options.client);
  if (!client.ok()) return UsageError(io, "detect", std::string(client.status().message()));
  DetectRun run(io, options, client->get());
  if (positional.empty() || positional[0] == "-") return run.Loop(io.in_fd);
  const int fd = open(positional[0].c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Fail(io, "detect", absl::ErrnoToStatus(errno, "cannot open " + positional[0]));
  }
  const int exit_status = run.Loop(fd);
  close(fd);
  return exit_status;
}

}  // namespace dragoman::client
