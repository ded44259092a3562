"""Run the program as `python -m streamt_ol`."""

from streamt_ol.cli.entry import main

main()
