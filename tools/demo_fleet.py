"""The machines of the demo: 60 in three classes and six racks."""

from collections.abc import Iterator
from typing import Any

KINDS = (
    ("compute", "c", ("r1", "r2", "r3"), 12, {"cpus": 64, "memory_mb": 262144, "local_gb": 960}),
    ("gpu", "g", ("r4", "r5"), 8, {"cpus": 128, "memory_mb": 1048576, "local_gb": 3840}),
    ("storage", "s", ("r6",), 8, {"cpus": 32, "memory_mb": 131072, "local_gb": 184320}),
)


def fleet() -> Iterator[dict[str, Any]]:
    """Yield the attributes and traits of each machine."""
    for kind, letter, racks, per_rack, properties in KINDS:
        for rack in racks:
            for place in range(1, per_rack + 1):
                yield {
                    "name": f"{rack}-{letter}{place:02}",
                    "driver": "fake-hardware",
                    "resource_class": kind,
                    "properties": {**properties, "cpu_arch": "x86_64"},
                    "extra": {"rack": rack, "place": place},
                    "traits": _traits(kind, rack, place),
                }


def _traits(kind: str, rack: str, place: int) -> list[str]:
    traits = {f"CUSTOM_RACK_{rack.upper()}", "HW_CPU_X86_AVX2"}
    if kind == "gpu":
        traits |= {"CUSTOM_GPU_A100" if rack == "r4" else "CUSTOM_GPU_H100", "HW_CPU_X86_AVX512F", "CUSTOM_NVME"}
        traits |= {"CUSTOM_INFINIBAND"} if place % 2 else set()
    elif kind == "storage":
        traits |= {"CUSTOM_HBA"} | ({"CUSTOM_NVME"} if place <= 4 else set())
    else:
        traits |= {"HW_CPU_X86_AVX512F"} if rack != "r1" else set()
        traits |= {"CUSTOM_NVME"} if place % 3 == 0 else set()
    return sorted(traits)
