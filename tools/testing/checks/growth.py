#!/usr/bin/env python3
"""The instruction counts of programs grow as they should: tools/growth/growth.py. Skipped without valgrind."""

import os
import pathlib
import sys

GROWTH = pathlib.Path(__file__).resolve().parent.parent.parent / "growth/growth.py"
os.execv(sys.executable, [sys.executable, GROWTH, "--failed"])
