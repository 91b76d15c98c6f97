"""The ``dibs`` program and the plug-in of ``openstack``: arguments, output, exit codes, signals.

Start with ``main`` (the application) and ``registry`` (the names of all commands); ``commands/`` has one module per
noun. ``client_command`` is the parent of the commands that talk to a server through ``dibs.client``,
``settings_command`` of those that read the settings of a server. No business rule belongs here: a command parses its
arguments, makes one call to ``dibs.client``, ``dibs.importing`` or ``dibs.wiring``, and prints the result.

A command imports its libraries when it runs, so that ``dibs --help`` and completion stay fast.
"""
