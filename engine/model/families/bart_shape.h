// What config.json says of a network of BART's kind (bart_network.h): shape, activation, scale and
// sharing of the embeddings.
//
// Pure functions; any thread.
#pragma once

#include "engine/model/families/family.h"

namespace dragoman {

// Family::read_shape of MarianMT, M2M-100, mBART, BART and Pegasus.
void ReadBartShape(const Family& family, JsonFields* fields, ModelSpec* spec);

}  // namespace dragoman
