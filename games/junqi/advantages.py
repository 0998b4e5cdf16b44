ADVANTAGES = ((0.0,) * 12,) * 25
