// A step mailbox in host memory, for devices that replace a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/search/step_mailbox.h"

namespace dragoman::testing {

struct MailboxMemory {
  kernels::StepCommand command;
  kernels::StepOutput output;
  std::vector<int32_t> cancelled, command_words, output_words;
  std::vector<kernels::AdmitCommand> admissions;
  std::vector<kernels::Delivery> deliveries;
  kernels::StepMailbox mailbox;  // refers to the other members: do not move the struct

  void Allocate(int32_t max_rows, size_t words_of_commands, size_t words_of_outputs) {
    const auto rows = static_cast<size_t>(max_rows);
    cancelled.resize(rows);
    admissions.resize(rows);
    deliveries.resize(rows);
    command_words.resize(words_of_commands);
    output_words.resize(words_of_outputs);
    mailbox = {&command,
               cancelled.data(),
               admissions.data(),
               command_words.data(),
               &output,
               deliveries.data(),
               output_words.data(),
               static_cast<int32_t>(command_words.size()),
               static_cast<int32_t>(output_words.size())};
  }
};

}  // namespace dragoman::testing
