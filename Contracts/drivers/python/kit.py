"""Finds the kit, counterfoil_driver.py: beside this file, installed, or where it lies in Counterfoil's own folder."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../clients/python/src"))
