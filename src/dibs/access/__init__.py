"""Access: who is asking, what the site's policy lets them do, and which projects they see."""
