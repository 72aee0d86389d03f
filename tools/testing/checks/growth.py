#!/usr/bin/env python3
"""What programs take grows as it should, counted in instructions: tools/growth/growth.py. Skipped without valgrind."""

import os
import pathlib
import sys

GROWTH = pathlib.Path(__file__).resolve().parent.parent.parent / "growth/growth.py"
os.execv(sys.executable, [sys.executable, GROWTH, "--failed"])
