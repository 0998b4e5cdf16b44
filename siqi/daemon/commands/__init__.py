"""The commands of a shell: one file each, and what they share."""
