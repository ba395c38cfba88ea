#include "engine/text/markup/markup_plan.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/field_error.h"
#include "engine/text/markup/markup.h"
#include "engine/text/markup/markup_run_builder.h"

namespace dragoman::engine {
namespace {

using NodeKind = MarkupNode::Kind;

class Planner {
 public:
  Planner(std::string_view document, MarkupStructure structure) : structure_(std::move(structure)) {
    plan_.document = document;
    plan_.format = structure_.format;
    plan_.marks = std::move(structure_.marks);
    plan_.kept = std::move(structure_.kept);
    for (MarkupElement& element : structure_.elements) {
      plan_.elements.push_back({std::move(element.open), std::move(element.close), element.kind,
                                std::move(element.address), element.is_crossing});
    }
  }

  absl::StatusOr<MarkupPlan> Run() {
    const auto& nodes = structure_.nodes;
    for (size_t begin = 0; begin < nodes.size();) {
      if (EndsText(nodes[begin])) {
        AddBlock(begin++);
        continue;
      }
      size_t end = begin;
      while (end < nodes.size() && !EndsText(nodes[end])) ++end;
      if (absl::Status status = AddText(begin, end); !status.ok()) return status;
      begin = end;
    }
    return std::move(plan_);
  }

 private:
  // Positions among the nodes between two block tags. Nodes [run_begin, run_end) become the run.
  struct Extent {
    size_t first_text = 0;  // the first and the last node that is not only white space
    size_t last_text = 0;
    size_t run_begin = 0;
    size_t run_end = 0;
  };

  const MarkupNode& NodeAt(size_t i) const { return structure_.nodes[i]; }
  const MarkupElement& ElementAt(int32_t i) const {
    return structure_.elements[static_cast<size_t>(i)];
  }

  // --- the open elements ---

  // Updates open_ for a start or end tag.
  void Pass(const MarkupNode& node) {
    if (node.kind == NodeKind::kStart) open_.push_back(node.element);
    if (node.kind == NodeKind::kEnd && node.element >= 0) {
      const auto found = std::find(open_.begin(), open_.end(), node.element);
      if (found != open_.end()) open_.erase(found);
    }
  }

  int32_t StackNow() {
    if (plan_.stacks.empty() || plan_.stacks.back() != open_) plan_.stacks.push_back(open_);
    return static_cast<int32_t>(plan_.stacks.size()) - 1;
  }

  int32_t StackWithoutCrossing() {
    MarkupStack all = open_;
    std::erase_if(open_, [&](int32_t element) { return ElementAt(element).is_crossing; });
    const int32_t stack = StackNow();
    open_ = std::move(all);
    return stack;
  }

  // --- items ---

  void AddItem(MarkupItem::Kind kind, TextRange range, int32_t stack) {
    if (!plan_.items.empty()) {
      MarkupItem& last = plan_.items.back();
      if (last.kind == kind && last.stack == stack && last.range.end == range.begin &&
          last.range.size() > 0) {
        last.range.end = range.end;
        return;
      }
    }
    plan_.items.push_back({kind, range, stack});
  }

  void AddBlock(size_t i) {
    std::erase_if(open_, [&](int32_t element) { return ElementAt(element).is_unclosed; });
    const int32_t stack = StackWithoutCrossing();
    const bool is_break = NodeAt(i).kind == NodeKind::kBreak;
    AddItem(is_break ? MarkupItem::Kind::kBreak : MarkupItem::Kind::kFixed, NodeAt(i).range, stack);
    if (!std::exchange(run_before_block_, false)) return;
    const MarkupStack& around = plan_.stacks[static_cast<size_t>(stack)];
    for (MarkupUnit& unit : plan_.runs.back().units) {
      unit.is_open_after = std::find(around.begin(), around.end(), unit.element) != around.end();
    }
  }

  // Adds a node outside runs unchanged.
  void AddAsIs(const MarkupNode& node, TextRange range) {
    Pass(node);
    switch (node.kind) {
      case NodeKind::kText:
      case NodeKind::kComment:
        AddItem(MarkupItem::Kind::kNeutral, range, StackNow());
        break;
      case NodeKind::kVoid:
        AddItem(MarkupItem::Kind::kFixed, range, StackNow());
        break;
      case NodeKind::kStart:
        AddItem(MarkupItem::Kind::kFixed, {range.begin, range.begin}, StackNow());
        break;
      case NodeKind::kEnd:
        if (node.element < 0) AddItem(MarkupItem::Kind::kFixed, range, StackNow());
        break;
      case NodeKind::kBlock:
      case NodeKind::kBreak:
        break;
    }
  }

  absl::Status AddText(size_t begin, size_t end) {
    if (absl::Status status = CheckDepth(begin, end); !status.ok()) return status;
    Extent extent;
    if (!FindText(begin, end, extent)) {
      for (size_t i = begin; i < end; ++i) AddAsIs(NodeAt(i), NodeAt(i).range);
      return absl::OkStatus();
    }
    FindRun(begin, end, extent);
    for (size_t i = begin; i < extent.run_begin; ++i) AddAsIs(NodeAt(i), NodeAt(i).range);
    AddRun(extent);
    for (size_t i = extent.run_end; i < end; ++i) AddAsIs(NodeAt(i), NodeAt(i).range);
    return absl::OkStatus();
  }

  absl::Status CheckDepth(size_t begin, size_t end) {
    const MarkupStack all = open_;
    for (size_t i = begin; i < end; ++i) {
      Pass(NodeAt(i));
      if (open_.size() > static_cast<size_t>(kMaxInlineDepth)) {
        return InvalidRequest(
            {.field = "contents",
             .found = absl::StrCat(open_.size(), " inline elements inside each other at byte ",
                                   NodeAt(i).range.begin),
             .expected = absl::StrCat("at most ", kMaxInlineDepth)});
      }
    }
    open_ = all;
    return absl::OkStatus();
  }

  // Sets first_text and last_text. Returns false if the nodes have only white space.
  bool FindText(size_t begin, size_t end, Extent& extent) const {
    bool found = false;
    for (size_t i = begin; i < end; ++i) {
      if (NodeAt(i).kind != NodeKind::kText || IsMarkupWhiteSpace(plan_.document, NodeAt(i)))
        continue;
      if (!std::exchange(found, true)) extent.first_text = i;
      extent.last_text = i;
    }
    return found;
  }

  // Sets run_begin and run_end. A start tag before the first text stays outside the run if its
  // element contains all of the text or none of it. The same is true of an end tag after the last
  // text. The run begins and ends at the first tags for which this is not true.
  void FindRun(size_t begin, size_t end, Extent& extent) const {
    const auto first = static_cast<int32_t>(extent.first_text);
    const auto last = static_cast<int32_t>(extent.last_text);
    extent.run_begin = begin;
    for (; extent.run_begin < extent.first_text; ++extent.run_begin) {
      const MarkupNode& node = NodeAt(extent.run_begin);
      if (node.kind != NodeKind::kStart) continue;
      const MarkupElement& element = ElementAt(node.element);
      const bool holds_part = element.end > first && element.end <= last;
      if (holds_part) break;
    }
    const auto run_begin = static_cast<int32_t>(extent.run_begin);
    extent.run_end = end;
    for (; extent.run_end > extent.last_text + 1; --extent.run_end) {
      const MarkupNode& node = NodeAt(extent.run_end - 1);
      if (node.kind != NodeKind::kEnd || node.element < 0) continue;
      const MarkupElement& element = ElementAt(node.element);
      const bool holds_part = element.begin >= run_begin && element.begin <= last;
      if (holds_part) break;
    }
    // If an element starts in the run and ends after it, the run includes all nodes up to `end`.
    for (size_t i = extent.run_begin; i <= extent.last_text; ++i) {
      const MarkupNode& node = NodeAt(i);
      if (node.kind == NodeKind::kStart &&
          ElementAt(node.element).end >= static_cast<int32_t>(extent.run_end)) {
        extent.run_end = end;
      }
    }
  }

  // --- a run ---

  void AddRun(const Extent& extent) {
    MarkupRunBuilder builder(plan_.document);
    const int32_t stack_before = StackNow();
    for (size_t i = extent.run_begin; i < extent.run_end; ++i) {
      const MarkupNode& node = NodeAt(i);
      switch (node.kind) {
        case NodeKind::kText:
          // A browser would show tags inside <title> as text. So an element that begins before the
          // <title> and ends inside it, or begins inside and ends after it, stays closed.
          builder.AddText(node, node.is_title ? StackWithoutCrossing() : StackNow());
          break;
        case NodeKind::kStart:
          builder.BeginElement(node.element, StackNow());
          break;
        case NodeKind::kEnd:
          if (node.element < 0) {
            builder.AddVoid(node.range, StackNow());
          } else {
            builder.EndElement(node.element);
          }
          break;
        case NodeKind::kVoid:
        case NodeKind::kComment:
          builder.AddVoid(node.range, StackNow());
          break;
        case NodeKind::kBlock:
        case NodeKind::kBreak:
          break;
      }
      Pass(node);
    }
    std::vector<TextRange> before;
    std::vector<TextRange> after;
    plan_.runs.push_back(builder.Finish(before, after));
    for (const TextRange& space : before) {
      AddItem(MarkupItem::Kind::kNeutral, space, stack_before);
    }
    // An element without an end tag that began in the run ends with the run.
    std::erase_if(open_, [&](int32_t i) {
      const MarkupElement& element = ElementAt(i);
      return element.is_unclosed && element.begin >= static_cast<int32_t>(extent.run_begin);
    });
    plan_.items.push_back(
        {MarkupItem::Kind::kRun, {}, StackNow(), static_cast<int32_t>(plan_.runs.size()) - 1});
    for (const TextRange& space : after) AddItem(MarkupItem::Kind::kNeutral, space, StackNow());
    run_before_block_ = true;
  }

  MarkupStructure structure_;
  MarkupPlan plan_;
  MarkupStack open_;
  bool run_before_block_ = false;  // the last run has no block tag after it yet
};

}  // namespace

absl::StatusOr<MarkupPlan> MakeMarkupPlan(std::string_view document, MarkupStructure structure) {
  return Planner(document, std::move(structure)).Run();
}

}  // namespace dragoman::engine
