"""Authorization: the caller of an operation, the rules of a site, and the projects that a caller sees.

Start with ``access.Access``, which every operation takes. ``rules.RuleBook`` decides by named rules: ``checks``
evaluates the defaults, ``policy_file`` a site's own file through oslo.policy. The modules ``*_policy`` have the rule
names and default checks of Ironic, Placement, Blazar and Nova. Authentication is in ``dibs.http.auth``; checks of a
rule on a node, lease or server are in ``model/access.py`` of the package that has the object.
"""
