"""The process and its system: lines in and out, Ctrl-C, memory, faults of kernels."""
