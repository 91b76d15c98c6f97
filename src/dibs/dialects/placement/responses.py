"""JSON schemas of the bodies of responses, one per document; the OpenAPI document uses them.

A property that came with a later version is one that the document may have.
"""

from dibs.dialects.placement.errors import Code
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import (
    INTEGER,
    LINKS,
    NUMBER,
    TEXT,
    UUID,
    UUID_OR_NULL,
    by_name,
    document,
    list_of,
    record,
)

_GENERATION = {"resource_provider_generation": INTEGER}
_AMOUNTS = by_name(INTEGER)

ERROR: Schema = document(
    "Error",
    {
        "errors": list_of(
            record(
                {"status": INTEGER, "title": TEXT, "detail": TEXT, "request_id": TEXT},
                {"code": {"enum": [code.value for code in Code]}, "max_version": TEXT, "min_version": TEXT},
            )
        )
    },
)
UNAUTHORIZED: Schema = document("Unauthorized", {"message": TEXT, "code": TEXT, "title": TEXT})

VERSIONS: Schema = document(
    "Versions",
    {
        "versions": list_of(
            record({"id": TEXT, "max_version": TEXT, "min_version": TEXT, "status": TEXT, "links": LINKS})
        )
    },
)

RESOURCE_CLASS: Schema = document("ResourceClass", {"name": TEXT, "links": LINKS})
RESOURCE_CLASSES: Schema = document("ResourceClasses", {"resource_classes": list_of(RESOURCE_CLASS)})

RESOURCE_PROVIDER: Schema = document(
    "ResourceProvider",
    {"uuid": UUID, "name": TEXT, "generation": INTEGER, "links": LINKS},
    {"parent_provider_uuid": UUID_OR_NULL, "root_provider_uuid": UUID},
)
RESOURCE_PROVIDERS: Schema = document("ResourceProviders", {"resource_providers": list_of(RESOURCE_PROVIDER)})

_SIZES = {
    "total": INTEGER,
    "reserved": INTEGER,
    "min_unit": INTEGER,
    "max_unit": INTEGER,
    "step_size": INTEGER,
    "allocation_ratio": NUMBER,
}
INVENTORY: Schema = document("Inventory", {**_SIZES, **_GENERATION})
INVENTORIES: Schema = document("Inventories", {"inventories": by_name(record(_SIZES)), **_GENERATION})

AGGREGATES: Schema = document("Aggregates", {"aggregates": list_of(TEXT)}, _GENERATION)

TRAITS: Schema = document("Traits", {"traits": list_of(TEXT)})
PROVIDER_TRAITS: Schema = document("ProviderTraits", {"traits": list_of(TEXT), **_GENERATION})

ALLOCATIONS: Schema = document(
    "Allocations",
    {"allocations": by_name(record({"resources": _AMOUNTS, "generation": INTEGER}))},
    {"project_id": TEXT, "user_id": TEXT, "consumer_generation": INTEGER, "consumer_type": TEXT},
)
PROVIDER_ALLOCATIONS: Schema = document(
    "ProviderAllocations",
    {"allocations": by_name(record({"resources": _AMOUNTS}, {"consumer_generation": INTEGER})), **_GENERATION},
)

PROVIDER_USAGES: Schema = document("ProviderUsages", {"usages": _AMOUNTS, **_GENERATION})
USAGES: Schema = document(
    "Usages", {"usages": {"anyOf": [_AMOUNTS, by_name(_AMOUNTS)], "description": "By type of consumer since 1.38."}}
)

ALLOCATION_CANDIDATES: Schema = document(
    "AllocationCandidates",
    {
        "allocation_requests": list_of(
            record(
                {
                    "allocations": {
                        "anyOf": [
                            by_name(record({"resources": _AMOUNTS})),
                            list_of(record({"resource_provider": record({"uuid": UUID}), "resources": _AMOUNTS})),
                        ],
                        "description": "A list before 1.12.",
                    }
                },
                {"mappings": by_name(list_of(UUID))},
            )
        ),
        "provider_summaries": by_name(
            record(
                {"resources": by_name(record({"capacity": INTEGER, "used": INTEGER}))},
                {"traits": list_of(TEXT), "parent_provider_uuid": UUID_OR_NULL, "root_provider_uuid": UUID},
            )
        ),
    },
)
