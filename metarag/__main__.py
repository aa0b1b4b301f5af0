"""``python -m metarag``."""

from metarag.cli_entry import main

if __name__ == "__main__":
    main()
