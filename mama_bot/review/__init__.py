"""Worker, reviewer, and back: which work needs a review, what a reviewer is told, and what a verdict means."""
