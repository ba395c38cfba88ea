#include "engine/text/html/html.h"

#include <utility>

#include "engine/text/html/html_emitter.h"
#include "engine/text/html/html_plan.h"
#include "engine/text/html/html_run_writer.h"

namespace dragoman::engine {

absl::StatusOr<HtmlDocument> HtmlDocument::Parse(std::string_view html) {
  absl::StatusOr<HtmlPlan> plan = MakeHtmlPlan(html);
  if (!plan.ok()) return plan.status();
  return HtmlDocument(std::make_unique<const HtmlPlan>(*std::move(plan)));
}

HtmlDocument::HtmlDocument(std::unique_ptr<const HtmlPlan> plan) : plan_(std::move(plan)) {}
HtmlDocument::~HtmlDocument() = default;
HtmlDocument::HtmlDocument(HtmlDocument&&) noexcept = default;
HtmlDocument& HtmlDocument::operator=(HtmlDocument&&) noexcept = default;

int64_t HtmlDocument::runs() const { return static_cast<int64_t>(plan_->runs.size()); }

const std::string& HtmlDocument::text(int64_t run) const {
  return plan_->runs[static_cast<size_t>(run)].text;
}

TextRange HtmlDocument::InDocument(int64_t run, TextRange range) const {
  return plan_->runs[static_cast<size_t>(run)].offsets.Map(range);
}

RebuiltHtml HtmlDocument::Rebuild(std::span<const std::vector<HtmlSegment>> segments,
                                  bool target_uses_spaces) const {
  const auto stack_of = [&](const HtmlItem& item) -> const HtmlStack& {
    return plan_->stacks[static_cast<size_t>(item.stack)];
  };
  RebuiltHtml rebuilt;
  rebuilt.segments.reserve(segments.size());
  HtmlEmitter emitter(*plan_);
  for (const HtmlItem& item : plan_->items) {
    switch (item.kind) {
      case HtmlItem::Kind::kFixed:
        emitter.MoveTo(stack_of(item), {}, HtmlEmitter::Need::kAllButCrossing);
        emitter.Write(item.range.In(plan_->html));
        break;
      case HtmlItem::Kind::kBreak:
        emitter.MoveTo(stack_of(item), {}, HtmlEmitter::Need::kUnopened);
        emitter.Write(item.range.In(plan_->html));
        break;
      case HtmlItem::Kind::kNeutral:
        emitter.CloseTo(stack_of(item));
        emitter.Write(item.range.In(plan_->html));
        break;
      case HtmlItem::Kind::kRun: {
        const auto run = static_cast<size_t>(item.run);
        HtmlRunWriter writer(*plan_, plan_->runs[run], stack_of(item), emitter);
        rebuilt.segments.push_back(writer.Write(segments[run], target_uses_spaces));
        break;
      }
    }
  }
  rebuilt.html = emitter.Finish();
  return rebuilt;
}

}  // namespace dragoman::engine
