// Input: a byte of how many bytes are read at a time, and the standard input of `dragoman mcp`. Lines
// are the same however they come; every message that is sent is one line of JSON-RPC, requests have
// at most one answer each, and arguments of tools are taken or refused.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/line_source.h"
#include "client/mcp_protocol.h"
#include "client/mcp_tools.h"
#include "tests/fuzz/fuzz_check.h"

namespace dragoman {
namespace {

// Reads the lines of a pipe into which `step` bytes are written at a time.
std::vector<std::string> LinesOf(std::string_view input, size_t step) {
  int fds[2];
  FuzzCheck(pipe(fds) == 0);
  LineSource source(fds[0]);
  std::vector<std::string> lines;
  const auto read = [&] {
    std::deque<std::string> some;
    FuzzCheck(source.Read(&some).ok());
    for (std::string& line : some) lines.push_back(std::move(line));
  };
  for (size_t at = 0; at < input.size(); at += step) {
    const std::string_view part = input.substr(at, step);
    FuzzCheck(write(fds[1], part.data(), part.size()) == static_cast<ssize_t>(part.size()));
    read();
  }
  close(fds[1]);
  while (!source.ended()) read();
  close(fds[0]);
  return lines;
}

std::vector<std::string> Split(std::string_view input) {
  std::vector<std::string> lines;
  while (!input.empty()) {
    const size_t end = input.find('\n');
    lines.emplace_back(input.substr(0, end));
    if (end == std::string_view::npos) break;
    input.remove_prefix(end + 1);
  }
  return lines;
}

class Client {
 public:
  void Run(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      const size_t before = sent_;
      const size_t open = protocol_.open_calls();
      protocol_.OnLine(line);
      FuzzCheck(protocol_.open_calls() <= McpProtocol::kMaxCalls);
      // A line that is no batch has one answer at most, and a call that is open has none yet.
      if (line.find('[') == std::string::npos) FuzzCheck(sent_ - before <= 1);
      if (protocol_.open_calls() > open && line.find('[') == std::string::npos) {
        FuzzCheck(sent_ == before);
      }
      // Every second call stays open, so that it can be cancelled.
      for (size_t i = 0; i < started_.size(); i += 2) End(started_[i]);
      started_.clear();
    }
    protocol_.RefuseLine("too long");
  }

 private:
  void Take(const std::string& line) {
    ++sent_;
    FuzzCheck(line.find('\n') == std::string::npos);
    const McpJson message = McpJson::parse(line, nullptr, false);
    if (!message.is_array()) return Check(message);
    // The answers to an array of requests.
    FuzzCheck(!message.empty());
    for (const McpJson& each : message) Check(each);
  }

  static void Check(const McpJson& message) {
    FuzzCheck(message.is_object() && message.value("jsonrpc", McpJson()) == "2.0");
    const bool is_notification = message.contains("method");
    FuzzCheck(is_notification != message.contains("id"));
    if (is_notification) return;
    FuzzCheck(message.contains("result") != message.contains("error"));
    if (message.contains("error")) {
      FuzzCheck(message["error"]["code"].is_number_integer());
      FuzzCheck(!message["error"]["message"].get<std::string>().empty());
    }
  }

  void Start(McpProtocol::CallNumber number, McpCall call) {
    started_.emplace_back(number, std::move(call));
  }

  void End(const std::pair<McpProtocol::CallNumber, McpCall>& started) {
    const auto& [number, call] = started;
    protocol_.Progress(number, 1, 2);
    protocol_.Answer(number, ResultOf(call));
    protocol_.Answer(number, ResultOf(call));  // which is ignored
  }

  static McpResult ResultOf(const McpCall& call) {
    FuzzCheck(call.arguments.is_object());
    if (call.tool == "translate") {
      const auto request = McpTranslateRequest(call.arguments);
      if (!request.ok()) return McpError(request.status());
      FuzzCheck(request->contents_size() > 0);
      std::vector<v1::Translation> translations;
      for (const std::string& text : request->contents()) {
        translations.emplace_back().set_translated_text(text);
      }
      translations.back().mutable_error()->set_code(3);
      return McpTranslateResult(translations);
    }
    if (call.tool == "detect") {
      const auto request = McpDetectRequest(call.arguments);
      if (!request.ok()) return McpError(request.status());
      v1::DetectLanguageResponse response;
      for (int i = 0; i < request->contents_size(); ++i) response.add_detections();
      return McpDetectResult(response);
    }
    const auto wanted = call.tool == "languages" ? McpLanguagesArguments(call.arguments)
                                                 : McpGlossariesArguments(call.arguments);
    if (!wanted.ok()) return McpError(wanted.status());
    if (call.tool == "languages") return McpLanguagesResult({}, *wanted);
    return McpGlossariesResult({}, wanted->model);
  }

  size_t sent_ = 0;
  std::vector<std::pair<McpProtocol::CallNumber, McpCall>> started_;
  inline static const std::vector<McpTool> kTools = McpTools();  // which take a while to make
  McpProtocol protocol_{kTools,
                        "1.0",
                        {.send = [this](const std::string& line) { Take(line); },
                         .start = [this](McpProtocol::CallNumber number,
                                         McpCall call) { Start(number, std::move(call)); },
                         .cancel = [](McpProtocol::CallNumber) {}}};
};

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> lines = dragoman::LinesOf(input, 1 + data[0] * 64);
  dragoman::FuzzCheck(lines == dragoman::Split(input));
  dragoman::Client().Run(lines);
  return 0;
}
