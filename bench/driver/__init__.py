# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs of a suite side by side, checks their answers and writes what they took."""
