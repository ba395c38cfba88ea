#include "server/compat/curator.h"

#include <utility>

#include "server/api/field_reader.h"
#include "server/compat/dialect_parts.h"

namespace dragoman {
namespace {

using nlohmann::json;

absl::StatusOr<UnaryAction> Translate(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts{.texts = reader.Texts("texts"),
                         .source = reader.Text("src_lang"),
                         .target = reader.Text("tgt_lang")};
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{RequestOf(std::move(texts)),
                     RenderJson([](const v1::TranslateResponse& answer) -> json {
                       return {{"translations", TextsOf(answer)}};
                     })};
}

}  // namespace

JsonDialect CuratorDialect() {
  return {.api = Api::kCurator, .translate = Translate, .error = PlainError};
}

}  // namespace dragoman
