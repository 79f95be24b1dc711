"""What all tests share."""

from hypothesis import settings

# No test measures time: another machine, or the first call of a lazily compiled part, must not make one fail.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
