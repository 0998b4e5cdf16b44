"""The file formats of Connect6."""
