"""Jobs on several processes or machines: calls as data, the workers that carry them out, and the way to reach them."""
