"""The engine as an object that knows no text: jobs, clock, options, the games played."""
