"""``python -m metarag``."""

from metarag.cli import main

if __name__ == "__main__":
    main()
