"""JSON documents: schemas that they must fit, limits of what can be stored, and patches.

Everything here works on plain JSON values and is pure. Packages that know nodes, allocations or HTTP requests use it;
it knows none of them. Start with ``json_patch`` for a change of a stored document, with ``json_body`` for the bytes of
a request, and with ``json_schema`` for the shape of a value.
"""
