#include "client/mcp_protocol.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dragoman {
namespace {

constexpr std::array kHandshakeVersions = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
constexpr const char* kModernVersion = "2026-07-28";
// The only revision with arrays of messages.
constexpr const char* kBatchVersion = "2025-03-26";
constexpr const char* kStructureVersion = "2025-06-18";

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kUnsupportedVersion = -32022;

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
constexpr const char* kInstructions =
    "Translates texts with the machine translation models of a Dragoman server. `languages` lists "
    "the pairs of languages that it has.";
// How long a client may keep the list of tools, which changes with this program alone.
constexpr int64_t kToolsHoldMs = 3'600'000;

// Whether brackets are nested deeper than that, outside of strings.
bool IsTooDeep(std::string_view text, int most) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// The member of an object; null where there is none, or `value` is not an object.
const McpJson& Member(const McpJson& value, const char* name) {
  static const McpJson kNull;
  if (!value.is_object()) return kNull;
  const auto found = value.find(name);
  return found == value.end() ? kNull : *found;
}

bool IsId(const McpJson& value) { return value.is_string() || value.is_number_integer(); }

McpJson ResultMessage(const McpJson& id, bool is_modern, McpJson result) {
  if (is_modern) result["resultType"] = "complete";
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

std::vector<std::string> AllVersions() {
  std::vector<std::string> versions(kHandshakeVersions.begin(), kHandshakeVersions.end());
  versions.emplace_back(kModernVersion);
  return versions;
}

}  // namespace

McpProtocol::McpProtocol(std::vector<McpTool> tools, std::string version, Handlers handlers)
    : tools_(std::move(tools)), version_(std::move(version)), handlers_(std::move(handlers)) {}

void McpProtocol::OnLine(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  if (IsTooDeep(line, kMaxDepth)) {
    return ReplyError(nullptr, kInvalidRequest,
                      absl::StrCat("found brackets nested deeper than ", kMaxDepth));
  }
  const McpJson message = McpJson::parse(line, nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded()) return ReplyError(nullptr, kParseError, "found no JSON on the line");
  if (!message.is_array()) return OnMessage(message);
  if (!handshake_.has_value() || handshake_->version != kBatchVersion || message.empty()) {
    return ReplyError(nullptr, kInvalidRequest,
                      message.empty() ? std::string("found an empty array, expected requests")
                                      : absl::StrCat("found an array, expected an object: only "
                                                     "revision ",
                                                     kBatchVersion, " has batches"));
  }
  if (message.size() > kMaxBatch) {
    return ReplyError(nullptr, kInvalidRequest,
                      absl::StrCat("found an array of ", message.size(),
                                   " messages, expected at most ", kMaxBatch));
  }
  OnBatch(message);
}

void McpProtocol::OnBatch(const McpJson& messages) {
  const auto batch = std::make_shared<Batch>();
  batch->awaited = 1;
  batch_ = batch;
  for (const McpJson& each : messages) OnMessage(each);
  batch_ = nullptr;
  Settle(batch.get());
}

void McpProtocol::RefuseLine(std::string_view why) {
  ReplyError(nullptr, kInvalidRequest, std::string(why));
}

void McpProtocol::OnMessage(const McpJson& message) {
  const McpJson& id = Member(message, "id");
  const McpJson& method = Member(message, "method");
  const bool has_id = message.is_object() && message.contains("id");
  // Whatever answers us: nothing was asked of the client.
  const bool is_response = method.is_null() && message.is_object() &&
                           (message.contains("result") || message.contains("error"));
  if (is_response) return;
  const McpJson echoed = IsId(id) ? id : McpJson();
  if (Member(message, "jsonrpc") != "2.0" || !method.is_string() || (has_id && !IsId(id))) {
    return ReplyError(echoed, kInvalidRequest,
                      "expected an object with \"jsonrpc\": \"2.0\", a \"method\" and, of a "
                      "request, an \"id\" that is a text or a whole number");
  }
  const McpJson& params = Member(message, "params");
  if (!params.is_null() && !params.is_object()) {
    if (has_id) ReplyError(id, kInvalidParams, "\"params\" is not an object");
    return;
  }
  if (has_id) {
    OnRequest(id, method.get<std::string>(), params);
  } else {
    OnNotification(method.get<std::string>(), params);
  }
}

void McpProtocol::OnNotification(const std::string& method, const McpJson& params) {
  if (method != "notifications/cancelled") return;  // all others say nothing that matters here
  const McpJson& id = Member(params, "requestId");
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [&id](const auto& call) { return call.second.id == id; });
  if (found == calls_.end()) return;
  const CallNumber number = found->first;
  const std::shared_ptr<Batch> batch = std::move(found->second.batch);
  calls_.erase(found);
  handlers_.cancel(number);
  Settle(batch.get());
}

std::optional<McpProtocol::Dialect> McpProtocol::DialectOf(const McpJson& id,
                                                           const std::string& method,
                                                           const McpJson& params) {
  const McpJson& version = Member(Member(params, "_meta"), kVersionKey);
  if (version == kModernVersion) {
    return Dialect{.version = kModernVersion, .is_modern = true, .has_structure = true};
  }
  if (!version.is_null() && !(handshake_.has_value() && version == handshake_->version)) {
    ReplyError(id, kUnsupportedVersion, "Unsupported protocol version",
               {{"supported", AllVersions()},
                {"requested", version.is_string() ? version : McpJson(version.dump())}});
    return std::nullopt;
  }
  if (handshake_.has_value()) return handshake_;
  ReplyError(id, kInvalidRequest,
             absl::StrCat("found ", method, ", expected initialize first, or \"", kVersionKey,
                          "\" in _meta"));
  return std::nullopt;
}

void McpProtocol::OnRequest(const McpJson& id, const std::string& method, const McpJson& params) {
  if (method == "initialize") return Initialize(id, params);
  if (method == "ping") return Reply(id, handshake_.value_or(Dialect{}), McpJson::object());
  const bool known =
      method == "server/discover" || method == "tools/list" || method == "tools/call";
  if (!known) {
    return ReplyError(id, kMethodNotFound,
                      "found method " +
                          McpJson(method).dump(-1, ' ', false, McpJson::error_handler_t::replace) +
                          ", expected initialize, server/discover, ping, tools/list or tools/call");
  }
  const std::optional<Dialect> dialect = DialectOf(id, method, params);
  if (!dialect.has_value()) return;
  if (method == "server/discover") return Discover(id, *dialect);
  if (method == "tools/list") return ListTools(id, params, *dialect);
  CallTool(id, params, *dialect);
}

void McpProtocol::Initialize(const McpJson& id, const McpJson& params) {
  if (batch_ != nullptr) {
    return ReplyError(id, kInvalidRequest, "found initialize in an array, expected it alone");
  }
  const McpJson& asked = Member(params, "protocolVersion");
  if (!asked.is_string()) {
    return ReplyError(id, kInvalidParams, "protocolVersion: expected a revision, as text");
  }
  // The newest is offered in place of an unknown one; the client decides whether it goes on.
  std::string version = kHandshakeVersions.back();
  for (const char* known : kHandshakeVersions) {
    if (asked == known) version = known;
  }
  // Revisions are dates, which sort as text.
  handshake_ = Dialect{.version = version, .has_structure = version >= kStructureVersion};
  Reply(id, *handshake_,
        {{"protocolVersion", version},
         {"capabilities", Capabilities()},
         {"serverInfo", ServerInfo()},
         {"instructions", kInstructions}});
}

void McpProtocol::Discover(const McpJson& id, const Dialect& dialect) {
  Reply(id, dialect,
        {{"supportedVersions", AllVersions()},
         {"capabilities", Capabilities()},
         {"instructions", kInstructions},
         {"ttlMs", kToolsHoldMs},
         {"cacheScope", "public"},
         {"_meta", {{kServerInfoKey, ServerInfo()}}}});
}

void McpProtocol::ListTools(const McpJson& id, const McpJson& params, const Dialect& dialect) {
  if (!Member(params, "cursor").is_null()) {
    return ReplyError(id, kInvalidParams, "cursor: found one, but the list has one page");
  }
  McpJson tools = McpJson::array();
  for (const McpTool& tool : tools_) {
    McpJson& added = tools.emplace_back(McpJson{{"name", tool.name}});
    if (dialect.has_structure) added["title"] = tool.title;
    added["description"] = tool.description;
    added["inputSchema"] = tool.input_schema;
    if (!dialect.has_structure) continue;
    added["outputSchema"] = tool.output_schema;
    added["annotations"] = {{"readOnlyHint", true}, {"openWorldHint", false}};
  }
  McpJson result = {{"tools", std::move(tools)}};
  if (dialect.is_modern) {
    result["ttlMs"] = kToolsHoldMs;
    result["cacheScope"] = "public";
  }
  Reply(id, dialect, std::move(result));
}

void McpProtocol::CallTool(const McpJson& id, const McpJson& params, const Dialect& dialect) {
  const McpJson& name = Member(params, "name");
  const bool known = std::any_of(tools_.begin(), tools_.end(),
                                 [&name](const McpTool& tool) { return name == tool.name; });
  if (!known) {
    const std::string names = absl::StrJoin(
        tools_, ", ", [](std::string* out, const McpTool& tool) { out->append(tool.name); });
    return ReplyError(
        id, kInvalidParams,
        absl::StrCat("name: found ", name.dump(-1, ' ', false, McpJson::error_handler_t::replace),
                     ", expected one of ", names));
  }
  const McpJson& arguments = Member(params, "arguments");
  if (!arguments.is_null() && !arguments.is_object()) {
    return ReplyError(id, kInvalidParams, "arguments: expected an object");
  }
  const bool open = std::any_of(calls_.begin(), calls_.end(),
                                [&id](const auto& call) { return call.second.id == id; });
  if (open) return ReplyError(id, kInvalidRequest, "id: a call with it is still open");
  const CallNumber number = next_call_++;
  McpJson token = Member(Member(params, "_meta"), "progressToken");
  if (!IsId(token)) token = nullptr;
  calls_.emplace(number, OpenCall{id, dialect, std::move(token), batch_});
  if (batch_ != nullptr) ++batch_->awaited;
  if (calls_.size() > kMaxCalls) {
    return Answer(number, {.texts = {absl::StrCat(kMaxCalls,
                                                  " calls are open already, expected "
                                                  "fewer: try again later")},
                           .structured = {},
                           .is_error = true});
  }
  handlers_.start(number, {.tool = name.get<std::string>(),
                           .arguments = arguments.is_null() ? McpJson::object() : arguments});
}

void McpProtocol::Answer(CallNumber number, const McpResult& result) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const OpenCall call = std::move(found->second);
  calls_.erase(found);
  McpJson content = McpJson::array();
  for (const std::string& text : result.texts) {
    content.push_back({{"type", "text"}, {"text", text}});
  }
  McpJson reply = {{"content", std::move(content)}};
  if (call.dialect.has_structure && !result.structured.is_null()) {
    reply["structuredContent"] = result.structured;
  }
  reply["isError"] = result.is_error;
  Deliver(ResultMessage(call.id, call.dialect.is_modern, std::move(reply)), call.batch.get());
  Settle(call.batch.get());
}

void McpProtocol::Progress(CallNumber number, int64_t done, int64_t total) {
  const auto found = calls_.find(number);
  if (found == calls_.end() || found->second.progress_token.is_null()) return;
  Send({{"jsonrpc", "2.0"},
        {"method", "notifications/progress"},
        {"params",
         {{"progressToken", found->second.progress_token}, {"progress", done}, {"total", total}}}});
}

void McpProtocol::Reply(const McpJson& id, const Dialect& dialect, McpJson result) {
  Deliver(ResultMessage(id, dialect.is_modern, std::move(result)), batch_.get());
}

void McpProtocol::ReplyError(const McpJson& id, int code, const std::string& message,
                             McpJson data) {
  McpJson error = {{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = std::move(data);
  Deliver({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}}, batch_.get());
}

void McpProtocol::Deliver(McpJson answer, Batch* batch) {
  if (batch == nullptr) return Send(answer);
  batch->answers.push_back(std::move(answer));
}

void McpProtocol::Settle(Batch* batch) {
  if (batch == nullptr || --batch->awaited > 0) return;
  // An array of notifications, or of calls that were all cancelled, has no answer.
  if (!batch->answers.empty()) Send(batch->answers);
}

void McpProtocol::Send(const McpJson& message) {
  // Without indentation no line feed is left in it, as a message of a line must have none.
  handlers_.send(message.dump(-1, ' ', false, McpJson::error_handler_t::replace));
}

McpJson McpProtocol::ServerInfo() const {
  return {{"name", "dragoman"}, {"title", "Dragoman translation"}, {"version", version_}};
}

McpJson McpProtocol::Capabilities() const { return {{"tools", {{"listChanged", false}}}}; }

}  // namespace dragoman
