"""``python -m monge``."""

import sys

from monge.cli import main

sys.exit(main())
