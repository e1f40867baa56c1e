// `sennit doctor`
#pragma once

namespace command {

void print_doctor();

}  // namespace command
