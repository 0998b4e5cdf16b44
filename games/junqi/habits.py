HABITS = tuple((0.0,) * 12 for _ in range(8))
