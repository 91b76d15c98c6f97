"""Plan, list and cancel maintenance of hosts: windows in which leases leave them free."""
