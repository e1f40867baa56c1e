// A group that outlives the scope it was made in has children in a deque that has gone on.
#include <sennit/sennit.hpp>

sennit::task_group* outliving() { return new sennit::task_group; }
