"""The command `python -m scripts.papers.junqi_cooperation`."""

import sys

from scripts.papers.junqi_cooperation.experiments import main

if __name__ == "__main__":
    sys.exit(main())
