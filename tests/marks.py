"""What a machine has to have for some tests."""

import sys

import pytest

from mama_bot.confinement import landlock
from mama_bot.confinement.machine import working_bubblewrap
from tests import without_landlock

HAS_LANDLOCK = landlock.version() > 0
needs_landlock = pytest.mark.skipif(not HAS_LANDLOCK, reason="this kernel has no Landlock")
needs_bubblewrap = pytest.mark.skipif(working_bubblewrap() is None, reason="bubblewrap is not there, or refused")
# What runs a command as on a kernel that has no Landlock.
WITHOUT_LANDLOCK = (sys.executable, "-I", "-S", without_landlock.__file__)
