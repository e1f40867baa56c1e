// SPDX-License-Identifier: Apache-2.0
// Before a source of the library that names its thread-local words: in an explored program each thread has its own.
#pragma once

#include <sennit/detail/worker_tls.hpp>

#define sennit_tls (::sennit::detail::current_tls())
