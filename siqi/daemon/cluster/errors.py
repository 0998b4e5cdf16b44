"""The faults of a cluster; light to import."""


class ClusterError(Exception):
    """The workers are not available, or were lost. The text is one line for the user."""


class KilledError(ClusterError):
    """Several workers ended, one after the other, while they carried out a batch."""
