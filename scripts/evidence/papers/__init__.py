"""What the pages say of each paper: a module a paper, with its measurements, RUNS, and its figures."""
