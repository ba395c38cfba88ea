#include "server/compat/libretranslate.h"

#include <string>
#include <vector>

#include "server/base/version.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

struct Parameter {
  const char* name;
  const char* type;
  bool required;
  const char* description;
};

struct Operation {
  const char* method;
  const char* path;
  const char* summary;
  std::vector<Parameter> parameters;
};

const Parameter kApiKey = {"api_key", "string", false, "The API key, where calls need one."};

const std::vector<Operation>& Operations() {
  static const auto* const operations = new std::vector<Operation>{
      {"post",
       "/translate",
       "Translates a text, or a list of texts.",
       {{"q", "string", true, "The text; in JSON or by repetition a list of texts."},
        {"source", "string", true, "The code of the text's language, or auto."},
        {"target", "string", true, "The code of the language to translate into."},
        {"format", "string", false, "text (the default) or html."},
        {"alternatives", "integer", false, "How many other translations to return."},
        kApiKey}},
      {"post",
       "/detect",
       "Detects the language of a text.",
       {{"q", "string", true, "The text; of a list, each text by itself."}, kApiKey}},
      {"get", "/languages", "Lists the languages, each with its targets.", {kApiKey}},
      {"get", "/frontend/settings", "Says what a page needs to know of the server.", {}},
      {"get", "/health", "Says whether the server takes calls: 200, or 503 while it drains.", {}},
  };
  return *operations;
}

json DescriptionOf(const Operation& operation) {
  json parameters = json::array();
  for (const Parameter& one : operation.parameters) {
    parameters.push_back({{"name", one.name},
                          {"in", operation.method == std::string("post") ? "formData" : "query"},
                          {"type", one.type},
                          {"required", one.required},
                          {"description", one.description}});
  }
  const json error = {{"description", "An error"}, {"schema", {{"$ref", "#/definitions/error"}}}};
  return {{"summary", operation.summary},
          {"parameters", parameters},
          {"responses",
           {{"200", {{"description", "The answer"}}},
            {"400", error},
            {"403", error},
            {"429", error},
            {"500", error},
            {"503", error}}}};
}

}  // namespace

json LibreTranslateSpec() {
  json paths = json::object();
  for (const Operation& operation : Operations()) {
    paths[operation.path][operation.method] = DescriptionOf(operation);
  }
  const json text = {{"type", "string"}};
  return {{"swagger", "2.0"},
          {"info", {{"title", "LibreTranslate's interface of Dragoman"}, {"version", kVersion}}},
          {"consumes",
           {"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}},
          {"produces", {"application/json"}},
          {"paths", paths},
          {"definitions", {{"error", {{"type", "object"}, {"properties", {{"error", text}}}}}}}};
}

}  // namespace dragoman::server
