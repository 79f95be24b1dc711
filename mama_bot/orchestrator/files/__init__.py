"""Files that go out with a reply."""
