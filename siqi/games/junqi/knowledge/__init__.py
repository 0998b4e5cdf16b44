"""Knowledge of hidden pieces: beliefs, habits, worlds, and how options select them."""
