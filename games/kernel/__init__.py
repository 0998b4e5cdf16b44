"""Small shared kernels: compilation policy, machine intrinsics, control block, hash table, random numbers."""
