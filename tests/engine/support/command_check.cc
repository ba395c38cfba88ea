#include "tests/engine/support/command_check.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace dragoman::testing {
namespace {

// Records which numbers are taken. Each number may be taken once.
class Taken {
 public:
  Taken(const char* what, int64_t begin, int64_t end) : what_(what), begin_(begin), end_(end) {}

  void Take(int64_t number, absl::Status* status) {
    if (number < begin_ || number >= end_) {
      status->Update(absl::InternalError(absl::StrCat(what_, " ", number, " does not exist")));
    } else if (!taken_.insert(number).second) {
      status->Update(absl::InternalError(absl::StrCat(what_, " ", number, " is given away twice")));
    }
  }

 private:
  const char* const what_;
  const int64_t begin_;
  const int64_t end_;
  std::set<int64_t> taken_;
};

}  // namespace

CommandCheck::CommandCheck(const kernels::BatchLimits& limits)
    : limits_(limits), given_(static_cast<size_t>(limits.max_rows)) {}

absl::Status CommandCheck::Check(const kernels::BatchTables& tables,
                                 const kernels::StepMailbox& mailbox,
                                 const engine::StepDevice::Launch& launch) {
  const kernels::StepCommand& command = *mailbox.command;
  absl::Status status;
  const auto expect = [&status](bool right, const char* what) {
    if (!right) status.Update(absl::InternalError(what));
  };
  expect(command.max_rows == launch.bucket, "the bucket is not the command's max_rows");

  Taken cancelled("cancelled slot", 0, limits_.max_rows);
  std::set<int32_t> leaving;
  for (int32_t i = 0; i < command.cancelled; ++i) {
    cancelled.Take(mailbox.cancelled[i], &status);
    leaving.insert(mailbox.cancelled[i]);
  }
  std::set<int32_t> there;
  const auto stays = [&](const int32_t* slots, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      const bool occupied = tables.extras[slots[i]].occupied;
      if (occupied && leaving.count(slots[i]) == 0) there.insert(slots[i]);
    }
  };
  stays(tables.order, tables.now->order_count);
  stays(tables.waiting, tables.now->waiting_count);

  Taken slots("slot", 0, limits_.max_rows);
  for (const int32_t slot : there) slots.Take(slot, &status);
  for (int32_t i = 0; i < command.admissions; ++i) {
    const kernels::AdmitCommand& admit = mailbox.admissions[i];
    slots.Take(admit.slot, &status);
    if (!status.ok()) return status;
    Given& given = given_[static_cast<size_t>(admit.slot)];
    const int32_t* const words = mailbox.command_words + admit.words_begin;
    given.beam = admit.options.beam;
    given.lanes.assign(words, words + given.beam);
    given.cross_pages.assign(words + given.beam, words + given.beam + admit.cross_pages);
    given.rules_begin = admit.rules_begin;
    given.rules_words = admit.rules_words;
    expect(admit.words_begin + given.beam + admit.cross_pages + admit.rules_words <=
               mailbox.command_capacity,
           "a command's words are more than the mailbox has");
    expect(admit.cross_pages == kernels::KvLayout::PagesFor(admit.source_length),
           "the cross pages are not the source's");
    there.insert(admit.slot);
  }

  Taken lanes("lane", 0, limits_.lanes);
  Taken words("rules word", 0, limits_.rules_words);
  Taken pages("cross page", limits_.self_pages, INT32_MAX);
  for (const int32_t slot : there) {
    const Given& given = given_[static_cast<size_t>(slot)];
    expect(given.beam <= launch.bucket, "a beam is wider than the bucket");
    for (const int32_t lane : given.lanes) lanes.Take(lane, &status);
    for (const int32_t page : given.cross_pages) pages.Take(page, &status);
    for (int32_t i = 0; i < given.rules_words; ++i) words.Take(given.rules_begin + i, &status);
  }
  return status;
}

}  // namespace dragoman::testing
