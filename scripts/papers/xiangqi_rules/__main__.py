"""The command `python -m scripts.papers.xiangqi_rules`."""

import sys

from scripts.papers.xiangqi_rules.experiments import main

if __name__ == "__main__":
    sys.exit(main())
