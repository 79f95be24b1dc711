"""What all tests share: how Hypothesis searches, and where they are: what is said of a time is said in UTC."""

import os
import time

from hypothesis import settings

os.environ["TZ"] = "UTC"
time.tzset()

# The same tree gives the same answer: examples follow from the test, not from chance or from what a database remembers
# of earlier runs. To search for new ones: `pytest --hypothesis-profile=searching`, a few times over.
# No test measures time: another machine, or the first call of a lazily compiled part, must not make one fail.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None, print_blob=True)
settings.load_profile("steady")
