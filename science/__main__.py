"""`python -m science` is the command `science`."""

import sys

from .cli import main

sys.exit(main())
