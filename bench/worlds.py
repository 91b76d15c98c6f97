"""The providers that Dibs and Placement get, and the requests for candidates in them."""

from tests.candidates.model.brute_force import Provider, Stock, World

__all__ = ["Provider", "Stock", "World", "flat", "nested", "roomy", "wide"]

HALF, RARE, NETS = "HW_CPU_X86_AVX2", "CUSTOM_RARE", ("CUSTOM_PHYSNET_A", "CUSTOM_PHYSNET_B")
AGGREGATES = tuple(f"aaaaaaaa-0000-4000-8000-{number:012}" for number in range(4))

SIZE = "resources=VCPU:4,MEMORY_MB:8192,DISK_GB:20"
CORES = "resources_C=VCPU:2,MEMORY_MB:1024"
FUNCTIONS = f"{CORES}&resources_1=SRIOV_NET_VF:1&resources_2=SRIOV_NET_VF:1&group_policy=isolate"
SUBTREE = f"{CORES}&resources_N=SRIOV_NET_VF:1&required_N=CUSTOM_PHYSNET_A&same_subtree=_C,_N&group_policy=none"
GPUS = "&".join(f"resources_{number}=VGPU:1" for number in range(1, 5)) + "&group_policy=isolate"


def flat(count: int) -> World:
    """Return compute hosts of one size; half of them are in use."""
    return World(
        [
            Provider(
                f"11111111-0000-4000-8000-{number:012}",
                None,
                {
                    "VCPU": Stock(64, used=8 * (number // 2 % 2), ratio=4.0),
                    "MEMORY_MB": Stock(262_144, used=16_384 * (number // 2 % 2), max_unit=262_144),
                    "DISK_GB": Stock(2_000, used=80 * (number // 2 % 2), max_unit=2_000),
                },
                frozenset({HALF} if number % 2 else ()) | frozenset({RARE} if number % 100 == 0 else ()),
                frozenset({AGGREGATES[number % 4]}),
            )
            for number in range(count)
        ]
    )


def nested(count: int) -> World:
    """Return hosts with two NUMA nodes, each with two network cards of eight virtual functions."""
    providers = []
    for number in range(count):
        host = f"22222222-0000-4000-8000-{number:012}"
        providers.append(Provider(host, None, {"DISK_GB": Stock(2_000)}))
        for numa in range(2):
            node = f"2222222{numa}-1000-4000-8000-{number:012}"
            stocks = {"VCPU": Stock(16, used=4 * (number % 2)), "MEMORY_MB": Stock(65_536, max_unit=65_536)}
            providers.append(Provider(node, host, stocks))
            for card, net in enumerate(NETS):
                uuid = f"2222222{numa}-2{card}00-4000-8000-{number:012}"
                providers.append(Provider(uuid, node, {"SRIOV_NET_VF": Stock(8, used=number % 3)}, frozenset({net})))
    return World(providers)


def wide(count: int) -> World:
    """Return hosts with eight GPUs: with sixteen, Placement does not answer within two minutes."""
    providers = []
    for number in range(count):
        host = f"33333333-0000-4000-8000-{number:012}"
        providers.append(Provider(host))
        for gpu in range(8):
            providers.append(Provider(f"33333333-1000-400{gpu}-8000-{number:012}", host, {"VGPU": Stock(1)}))
    return World(providers)


def roomy(count: int) -> World:
    """Return hosts that no series of small claims fills."""
    totals = {"VCPU": 1_000_000, "MEMORY_MB": 100_000_000, "DISK_GB": 1_000_000}
    stocks = {name: Stock(total, max_unit=total) for name, total in totals.items()}
    return World([Provider(roomy_uuid(number), None, stocks) for number in range(count)])


def roomy_uuid(number: int) -> str:
    """Return the uuid of a host of ``roomy``."""
    return f"44444444-0000-4000-8000-{number:012}"
