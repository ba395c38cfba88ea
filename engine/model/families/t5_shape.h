// Fields of config.json and buckets of distances, which only models of T5's kind have. The networks
// of T5, mT5, UMT5, FLAN-T5 and MADLAD-400 are made in transformer_network.h.
#pragma once

#include <cstdint>

#include "engine/model/families/family.h"

namespace dragoman::engine {

// Returns the index of the bucket that has the bias for a distance; it is below `buckets`. The
// distance is the key's position minus the query's. Computes in float32 as transformers does
// (T5Attention._relative_position_bucket), so both return the same bucket. With two_sided, half of
// the buckets are for keys after the query. Without it, such keys have the bucket of distance 0.
int RelativeBucket(int64_t distance, bool two_sided, int buckets, int max_distance);

// Implements Family::read_shape of T5, mT5 and UMT5. The defaults of these families differ in
// activation and output layer.
void ReadT5Shape(const Family& family, JsonFields* fields, ModelSpec* spec);

// The Family::tasks of T5 and similar families.
extern const TranslationTasks kT5Tasks;

}  // namespace dragoman::engine
