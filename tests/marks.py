"""What a machine has to have for some tests."""

import pytest

from mama_bot.confinement import landlock

HAS_LANDLOCK = landlock.version() > 0
needs_landlock = pytest.mark.skipif(not HAS_LANDLOCK, reason="this kernel has no Landlock")
