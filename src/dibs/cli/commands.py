"""The commands that ask a server: their names in ``dibs``, in ``openstack``, and their classes."""

CLIENT_COMMANDS = {
    "node list": "dibs.cli.node:List",
    "node show": "dibs.cli.node:Show",
    "node add trait": "dibs.cli.node:AddTrait",
    "node remove trait": "dibs.cli.node:RemoveTrait",
    "reservation create": "dibs.cli.reservation:Create",
    "reservation list": "dibs.cli.reservation:List",
    "reservation show": "dibs.cli.reservation:Show",
    "reservation renew": "dibs.cli.reservation:Renew",
    "reservation delete": "dibs.cli.reservation:Delete",
    "allocation create": "dibs.cli.allocation:Create",
    "allocation list": "dibs.cli.allocation:List",
    "allocation show": "dibs.cli.allocation:Show",
    "allocation retry": "dibs.cli.allocation:Retry",
    "allocation delete": "dibs.cli.allocation:Delete",
    "lease create": "dibs.cli.lease:Create",
    "lease list": "dibs.cli.lease:List",
    "lease show": "dibs.cli.lease:Show",
    "lease update": "dibs.cli.lease:Update",
    "lease delete": "dibs.cli.lease:Delete",
    "lease why": "dibs.cli.lease:Why",
    "candidates": "dibs.cli.why:Candidates",
    "why": "dibs.cli.why:Why",
}
"""As ``dibs`` calls them."""


def name_in_openstack(name: str) -> str:
    """``openstack baremetal reservation …``, as specification 001 has it; everything else behind ``openstack dibs``."""
    return f"baremetal {name}" if name.startswith("reservation ") else f"dibs {name}"
