"""The command `python -m scripts.papers.ewn_uct`."""

import sys

from scripts.papers.ewn_uct.experiments import main

if __name__ == "__main__":
    sys.exit(main())
