// Tests the placement of buffers: buffers that are in use at the same time never overlap, others
// share memory.
#include "engine/network/buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/model/families/family.h"

namespace dragoman::engine {
namespace {

Program OpusBaseOfFewPieces() {
  ModelSpec spec;
  spec.shape = {512, 6, 6, 8, 8, 2048, 2048, 100, 100, 512};
  return FindFamily("marian")->make(spec)->program;
}

// Runs the stage with marks instead of numbers. A write marks all elements of a buffer with the
// operation's number. A read checks that the buffer has the mark of its last writer.
void ExpectNothingIsOverwritten(const OpSequence& stage) {
  const BufferPlan plan = PlanBuffers(stage);
  std::vector<int> memory(static_cast<size_t>(plan.width), -1);
  std::vector<int> writer(stage.buffers.size(), -1);
  const auto of = [&](BufferId id) {
    const auto begin = memory.begin() + plan.offset[static_cast<size_t>(id)];
    return std::pair(begin, begin + stage.buffers[static_cast<size_t>(id)].width);
  };
  for (size_t i = 0; i < stage.ops.size(); ++i) {
    const Operands operands = OperandsOf(stage.ops[i]);
    // An operation may write one buffer before it has read another completely, so its writes are
    // marked first. A buffer that is both read and written is marked after the read.
    for (const BufferId id : operands.writes) {
      if (std::ranges::find(operands.reads, id) != operands.reads.end()) continue;
      std::fill(of(id).first, of(id).second, static_cast<int>(i));
      writer[static_cast<size_t>(id)] = static_cast<int>(i);
    }
    for (const BufferId id : operands.reads) {
      const auto [begin, end] = of(id);
      EXPECT_EQ(std::count(begin, end, writer[static_cast<size_t>(id)]), end - begin)
          << stage.ops[i].name << " of layer " << stage.ops[i].layer << " reads "
          << stage.buffers[static_cast<size_t>(id)].name;
    }
    for (const BufferId id : operands.writes) {
      std::fill(of(id).first, of(id).second, static_cast<int>(i));
      writer[static_cast<size_t>(id)] = static_cast<int>(i);
    }
  }
}

TEST(PlanBuffers, NothingIsOverwrittenBeforeItIsRead) {
  Program program = OpusBaseOfFewPieces();
  ExpectNothingIsOverwritten(program.encoder);
  ExpectNothingIsOverwritten(program.decoder);
  JoinCrossLayers(6, &program);
  ExpectNothingIsOverwritten(program.encoder);
}

TEST(PlanBuffers, TakesNoMoreThanTheWidestMoment) {
  Program program = OpusBaseOfFewPieces();
  // The residual stream, the feed-forward layer and its result. Without sharing, the width would be
  // 5120.
  EXPECT_EQ(PlanBuffers(program.encoder).width, 3072);
  EXPECT_EQ(PlanBuffers(program.decoder).width, 3072);
  JoinCrossLayers(6, &program);
  EXPECT_EQ(PlanBuffers(program.encoder).width, 512 + 6 * 1024);
}

TEST(PlanBuffers, PlacesAreAlignedWhateverTheWidths) {
  ModelSpec spec;
  spec.shape = {6, 1, 1, 2, 2, 10, 10, 5, 5, 4};
  const Program program = FindFamily("marian")->make(spec)->program;
  ExpectNothingIsOverwritten(program.decoder);
  const BufferPlan plan = PlanBuffers(program.decoder);
  for (const int64_t offset : plan.offset) EXPECT_EQ(offset % kBufferAlignment, 0);
  EXPECT_EQ(plan.Bytes(3, 2), 3 * plan.width * 2);
}

}  // namespace
}  // namespace dragoman::engine
