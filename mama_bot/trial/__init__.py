"""What does the chain say of a message that nobody sent? `mama-bot judge`, and the page's box."""
