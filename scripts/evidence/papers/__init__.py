# SPDX-License-Identifier: Apache-2.0
"""What the pages say of each paper: a module a paper, with its measurements, RUNS, and its figures."""
