"""`siqi match check`: rules that clients expect of an engine, each tried on a program of its own."""
