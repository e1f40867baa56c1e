// For functions that run where a compiler expects no call: they change no vector and no x87 register, and no
// sanitizer's code is in them. Whatever they call has to be one of them.
#pragma once

#if defined(__x86_64__)
#define SENNIT_GENERAL_REGISTERS                                                                             \
  __attribute__((target("general-regs-only"), no_sanitize("address"), no_sanitize("thread"),                 \
                 no_sanitize("undefined")))
#else
#define SENNIT_GENERAL_REGISTERS
#endif
