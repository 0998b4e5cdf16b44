"""The command `python -m scripts.papers.connect6_roads`."""

import sys

from scripts.papers.connect6_roads.experiments import main

if __name__ == "__main__":
    sys.exit(main())
