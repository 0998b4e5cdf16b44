"""`python -m daemon` is `siqi`."""

from daemon.main import main

main()
