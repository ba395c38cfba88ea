#include "engine/text/markup/markup.h"

#include <utility>

#include "engine/text/html/html_pairs.h"
#include "engine/text/html/html_tokenizer.h"
#include "engine/text/markdown/markdown_structure.h"
#include "engine/text/markup/markup_emitter.h"
#include "engine/text/markup/markup_plan.h"
#include "engine/text/markup/markup_run_writer.h"

namespace dragoman::engine {

absl::StatusOr<MarkupDocument> MarkupDocument::Parse(std::string_view document, TextFormat format,
                                                     bool code_is_text) {
  absl::StatusOr<MarkupPlan> plan =
      MakeMarkupPlan(document, format == TextFormat::kMarkdown
                                   ? ReadMarkdown(document, code_is_text)
                                   : PairHtmlTags(document, TokenizeHtml(document), code_is_text));
  if (!plan.ok()) return plan.status();
  return MarkupDocument(std::make_unique<const MarkupPlan>(*std::move(plan)));
}

MarkupDocument::MarkupDocument(std::unique_ptr<const MarkupPlan> plan) : plan_(std::move(plan)) {}
MarkupDocument::~MarkupDocument() = default;
MarkupDocument::MarkupDocument(MarkupDocument&&) noexcept = default;
MarkupDocument& MarkupDocument::operator=(MarkupDocument&&) noexcept = default;

int64_t MarkupDocument::runs() const { return static_cast<int64_t>(plan_->runs.size()); }

const std::string& MarkupDocument::text(int64_t run) const {
  return plan_->runs[static_cast<size_t>(run)].text;
}

TextRange MarkupDocument::InDocument(int64_t run, TextRange range) const {
  return plan_->runs[static_cast<size_t>(run)].offsets.Map(range);
}

std::string_view MarkupDocument::BytesOf(std::string_view placeholder) const {
  const auto kept = plan_->kept.find(placeholder);
  return kept == plan_->kept.end() ? placeholder : std::string_view(kept->second);
}

RebuiltMarkup MarkupDocument::Rebuild(std::span<const std::vector<MarkupSegment>> segments,
                                      bool target_uses_spaces) const {
  const auto stack_of = [&](const MarkupItem& item) -> const MarkupStack& {
    return plan_->stacks[static_cast<size_t>(item.stack)];
  };
  RebuiltMarkup rebuilt;
  rebuilt.segments.reserve(segments.size());
  MarkupEmitter emitter(*plan_);
  for (const MarkupItem& item : plan_->items) {
    switch (item.kind) {
      case MarkupItem::Kind::kFixed:
        emitter.MoveTo(stack_of(item), {}, MarkupEmitter::Need::kAllButCrossing);
        emitter.Write(item.range.In(plan_->document));
        break;
      case MarkupItem::Kind::kBreak:
        if (plan_->format == TextFormat::kMarkdown) {
          emitter.CloseTo({});  // emphasis neither begins before white space nor ends after it
        } else {
          emitter.MoveTo(stack_of(item), {}, MarkupEmitter::Need::kUnopened);
        }
        emitter.Write(item.range.In(plan_->document));
        break;
      case MarkupItem::Kind::kNeutral:
        emitter.CloseTo(stack_of(item));
        emitter.Write(item.range.In(plan_->document));
        break;
      case MarkupItem::Kind::kRun: {
        const auto run = static_cast<size_t>(item.run);
        MarkupRunWriter writer(*plan_, plan_->runs[run], stack_of(item), emitter);
        rebuilt.segments.push_back(writer.Write(segments[run], target_uses_spaces));
        break;
      }
    }
  }
  rebuilt.document = emitter.Finish();
  return rebuilt;
}

}  // namespace dragoman::engine
