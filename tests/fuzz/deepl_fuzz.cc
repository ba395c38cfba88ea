// Input: a byte and a text. The byte selects what the text is: DeepL's parameters as JSON, form or
// query, a path, or a glossary file. An accepted request has texts. The entries of a glossary stay
// the same when the file that a client downloads is parsed again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/text/terms/glossary.h"
#include "server/api/request_fields.h"
#include "server/compat/deepl_glossaries.h"
#include "server/compat/deepl_request.h"
#include "tests/fuzz/adapter_server.h"

namespace dragoman {
namespace {

void RunRequest(const AdapterServer& server, std::string_view type, std::string_view text) {
  server::HttpRequest request;
  request.method = type.empty() ? "GET" : "POST";
  request.path = "/v2/translate";
  if (type.empty()) {
    request.query = text;
  } else {
    request.body = text;
    request.headers = {{"content-type", std::string(type)}};
  }
  FuzzCheck(server.Ask(request));
  const auto fields = server::ReadRequestFields(request);
  if (!fields.ok()) return;
  const auto asked = server::ReadDeeplRequest(*fields);
  if (asked.ok()) {
    FuzzCheck(!asked->texts.empty() && !asked->target.empty());
    return;
  }
  const absl::StatusCode code = asked.status().code();
  FuzzCheck(code == absl::StatusCode::kInvalidArgument || code == absl::StatusCode::kUnimplemented);
}

void RunPath(const AdapterServer& server, std::string_view text) {
  server::HttpRequest request;
  request.method = "GET";
  request.path = "/v2/glossaries/" + std::string(text);
  server.Ask(request);
}

void RunEntries(engine::GlossaryFormat format, std::string_view file) {
  const auto read = engine::Glossary::Parse(file, "file", format);
  if (!read.ok()) return;
  const auto pieces = server::GlossaryTsv({.terms = *read});
  std::string entries;
  for (std::string piece = pieces->Next(); !piece.empty(); piece = pieces->Next()) entries += piece;
  const auto again = engine::Glossary::Parse(entries, "entries", engine::GlossaryFormat::kTsv);
  FuzzCheck(again.ok() && (*again)->size() == (*read)->size());
  for (size_t i = 0; i < (*read)->size(); ++i) {
    FuzzCheck((*again)->entry(i).source == (*read)->entry(i).source);
    FuzzCheck((*again)->entry(i).target == (*read)->entry(i).target);
  }
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dragoman::engine::GlossaryFormat;
  static const auto* const server = new dragoman::AdapterServer;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 7) {
    case 0:
      dragoman::RunRequest(*server, "application/json", text);
      break;
    case 1:
      dragoman::RunRequest(*server, "application/x-www-form-urlencoded", text);
      break;
    case 2:
      dragoman::RunRequest(*server, "multipart/form-data; boundary=x", text);
      break;
    case 3:
      dragoman::RunRequest(*server, "", text);
      break;
    case 4:
      dragoman::RunPath(*server, text);
      break;
    default:
      dragoman::RunEntries(data[0] % 7 == 5 ? GlossaryFormat::kTsv : GlossaryFormat::kCsv, text);
      break;
  }
  return 0;
}
