"""The command classes, one module per noun. ``dibs.cli.registry`` gives them their names."""
