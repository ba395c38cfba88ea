// marian-decoder and marian-scorer: the programs that pipelines call, on a daemon of their own.
//
// The command starts dragomand with the model that the options name, translates or scores the input,
// and ends the daemon. Texts are translated as they are: no part is kept, split, guarded or changed
// in case. Lists and scores have Marian's forms.
#pragma once

#include <string>
#include <vector>

#include "client/commands/command.h"
#include "client/marian/marian_options.h"

namespace dragoman::client {

// Returns the exit status: 0; 1 after an error, which is printed; 2 for a wrong command line.
int MarianCommand(MarianProgram program, const Io& io, const Arguments& arguments);

}  // namespace dragoman::client
