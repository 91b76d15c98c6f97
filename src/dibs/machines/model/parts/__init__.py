"""The parts of a node: ports, port groups, volume connectors and volume targets.

They share one shape: a uuid, one node, attributes that clients set and patch. ``parts`` has what is common,
``documents`` what clients may send for each kind, and ``vifs`` how virtual interfaces are recorded on ports and groups.
"""
