"""The command `python -m scripts.papers.xiangqi_endgames`."""

import sys

from scripts.papers.xiangqi_endgames.experiments import main

if __name__ == "__main__":
    sys.exit(main())
