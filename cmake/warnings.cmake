# Linked by each of our own targets, never exported to those who use the library.
add_library(sennit_warnings INTERFACE)
target_compile_options(sennit_warnings INTERFACE -Wall -Wextra $<$<BOOL:${SENNIT_WERROR}>:-Werror>)
