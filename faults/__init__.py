"""Random operations under random faults, and a checker of what remains: ``make faults``.

``__main__.py`` is the command. ``plan.py`` draws the faults from a seed, ``site.py`` runs the processes,
``injection.py`` breaks them. ``workload/`` draws operations in every dialect and records what each client was told.
``checker.py`` compares the rows with it. ``bugs.py`` starts a Dibs with a defect, which the checker must find.
"""
