// Reads and writes documents for tests/documents:
//
//   document_tool FILE [OPTION=VALUE...]           prints the texts: one JSON array of {text, format}
//   document_tool FILE OUTPUT [OPTION=VALUE...]    reads a JSON array of translations (null: none)
//                                                  from standard input, and writes the document
//
// Options: format, fields (with commas), retranslate (1), target.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "engine/documents/document.h"

namespace {

using dragoman::engine::Document;
using dragoman::engine::DocumentFormat;
using dragoman::engine::DocumentOptions;
using dragoman::engine::DocumentText;

int Fail(const std::string& what) {
  std::cerr << "document_tool: " << what << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  std::map<std::string, std::string> given;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      paths.push_back(argument);
    } else {
      given[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
  }
  if (paths.empty()) return Fail("no file");
  const DocumentFormat* const format =
      dragoman::engine::FindDocumentFormat(given.contains("format") ? given["format"] : paths[0]);
  if (format == nullptr) return Fail("unknown format");
  DocumentOptions options;
  if (given.contains("fields")) options.fields = absl::StrSplit(given["fields"], ',');
  options.retranslate = given.contains("retranslate");
  options.target_language = given["target"];
  std::ifstream in(paths[0], std::ios::binary);
  auto document = format->read(std::string(std::istreambuf_iterator<char>(in), {}), options);
  if (!document.ok()) return Fail(std::string(document.status().message()));
  if (paths.size() == 1) {
    nlohmann::json texts = nlohmann::json::array();
    for (const DocumentText& text : (*document)->texts()) {
      texts.push_back({{"text", text.text}, {"format", dragoman::engine::MimeTypeOf(text.format)}});
    }
    std::cout << texts.dump() << "\n";
    return 0;
  }
  std::vector<std::optional<std::string>> translations;
  for (const auto& value : nlohmann::json::parse(std::cin)) {
    translations.push_back(value.is_null() ? std::nullopt
                                           : std::optional(value.get<std::string>()));
  }
  if (translations.size() != (*document)->texts().size()) return Fail("another number of texts");
  const auto written = (*document)->Write(translations);
  if (!written.ok()) return Fail(std::string(written.status().message()));
  std::ofstream(paths[1], std::ios::binary) << *written;
  return 0;
}
