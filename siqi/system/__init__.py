"""What knows neither a game nor a protocol: files, encodings, texts, lines in and out, Ctrl-C, memory, faults."""
