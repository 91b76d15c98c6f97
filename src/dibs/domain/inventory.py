"""Resource classes and how much a provider has of each."""

import re

RESOURCE_CLASS_PREFIX = "CUSTOM_"

_NOT_IN_A_CLASS_NAME = re.compile(r"[^A-Z0-9_]")


def custom_class_name(resource_class: str) -> str:
    """The ledger's name for a node's resource class: ``bm.gpu`` is one unit of ``CUSTOM_BM_GPU``.

    Quirk: this is how Nova's ironic driver names it (os-resource-classes, ``normalize_name``), so flavors carry over.
    """
    return RESOURCE_CLASS_PREFIX + _NOT_IN_A_CLASS_NAME.sub("_", resource_class.upper())
