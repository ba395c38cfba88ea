// The Model Context Protocol's server side on lines of JSON: versions, requests, errors, cancellation and
// progress, without knowing what the tools do (modelcontextprotocol.io, "Specification").
//
// Not thread-safe. Two ways of speaking are served on one connection: the handshake of the revisions from
// 2024-11-05 to 2025-11-25 (`initialize`), and the requests of 2026-07-28, each of which names its version. A
// line that is not what it should be is answered with an error of JSON-RPC and changes nothing. An array of
// requests is answered with one array, once all of them are answered, after a handshake for 2025-03-26, which
// alone has such arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

using McpJson = nlohmann::ordered_json;

struct McpTool {
  std::string name;
  std::string title;
  std::string description;
  McpJson input_schema;
  McpJson output_schema;
};

// A tool's call that was read and is not answered yet.
struct McpCall {
  std::string tool;
  McpJson arguments;  // an object
};

// The answer of a tool, or, with is_error, what is wrong, in words for the model that called.
struct McpResult {
  std::vector<std::string> texts;
  McpJson structured;  // an object, or null
  bool is_error = false;
};

class McpProtocol {
 public:
  // Calls are told apart by numbers of this side, which are never used again.
  using CallNumber = int64_t;
  struct Handlers {
    // Takes a message for the client, without the line's end.
    std::function<void(const std::string&)> send;
    // Begins a call, which ends with Answer, at once or later.
    std::function<void(CallNumber, McpCall)> start;
    // The client does not want the answer any more; Answer need not be called.
    std::function<void(CallNumber)> cancel;
  };

  // Calls that may be open at once; a further one is answered with an error.
  static constexpr size_t kMaxCalls = 64;
  // Messages in one array, whose answers are held until the last is there.
  static constexpr size_t kMaxBatch = 1024;
  // Brackets in brackets, which cost a parser of JSON memory.
  static constexpr int kMaxDepth = 64;

  McpProtocol(std::vector<McpTool> tools, std::string version, Handlers handlers);

  // One line of the input.
  void OnLine(std::string_view line);
  // Answers a call. One that was cancelled, or is unknown, is ignored.
  void Answer(CallNumber number, const McpResult& result);
  // Tells how far a call is, if its client asked for that; `done` has to rise from one to the next.
  void Progress(CallNumber number, int64_t done, int64_t total);
  // Answers a line that is too long to be kept.
  void RefuseLine(std::string_view why);

  size_t open_calls() const { return calls_.size(); }

 private:
  // How one request is spoken.
  struct Dialect {
    std::string version;
    // 2026-07-28: results say that they are complete, lists how long they hold.
    bool is_modern = false;
    // From 2025-06-18 on: titles, schemas of outputs, structured contents.
    bool has_structure = false;
  };
  // The answers to the requests of one array, which leave together.
  struct Batch {
    McpJson answers = McpJson::array();
    int64_t awaited = 0;  // what the array waits for: the end of its reading, and its open calls
  };
  struct OpenCall {
    McpJson id;
    Dialect dialect;
    McpJson progress_token;  // null: no progress is wanted
    // Shared by the calls of an array; null: the call came alone.
    std::shared_ptr<Batch> batch;
  };

  void OnBatch(const McpJson& messages);
  void OnMessage(const McpJson& message);
  void OnRequest(const McpJson& id, const std::string& method, const McpJson& params);
  void OnNotification(const std::string& method, const McpJson& params);
  void Initialize(const McpJson& id, const McpJson& params);
  void Discover(const McpJson& id, const Dialect& dialect);
  void ListTools(const McpJson& id, const McpJson& params, const Dialect& dialect);
  void CallTool(const McpJson& id, const McpJson& params, const Dialect& dialect);
  // The dialect of a request with these parameters; unset, and answered, if there is none.
  std::optional<Dialect> DialectOf(const McpJson& id, const std::string& method,
                                   const McpJson& params);

  void Reply(const McpJson& id, const Dialect& dialect, McpJson result);
  void ReplyError(const McpJson& id, int code, const std::string& message, McpJson data = nullptr);
  // Sends the answer to a request, or keeps it for the others of its array.
  void Deliver(McpJson answer, Batch* batch);
  // One thing less that the array waits for; nothing happens without one.
  void Settle(Batch* batch);
  void Send(const McpJson& message);
  McpJson ServerInfo() const;
  McpJson Capabilities() const;

  const std::vector<McpTool> tools_;
  const std::string version_;
  const Handlers handlers_;
  std::optional<Dialect> handshake_;  // what `initialize` has agreed on
  std::map<CallNumber, OpenCall> calls_;
  std::shared_ptr<Batch> batch_;  // the array that is being read; null: none is
  CallNumber next_call_ = 1;
};

}  // namespace dragoman
