"""`python -m siqi` is `siqi`."""

from siqi.daemon.main import main

main()
