"""The commands that ask a server: their names in ``dibs``, in ``openstack``, and their classes."""

CLIENT_COMMANDS = {
    "node list": "dibs.cli.commands.node:List",
    "node show": "dibs.cli.commands.node:Show",
    "node add trait": "dibs.cli.commands.node:AddTrait",
    "node remove trait": "dibs.cli.commands.node:RemoveTrait",
    "reservation create": "dibs.cli.commands.reservation:Create",
    "reservation list": "dibs.cli.commands.reservation:List",
    "reservation show": "dibs.cli.commands.reservation:Show",
    "reservation renew": "dibs.cli.commands.reservation:Renew",
    "reservation delete": "dibs.cli.commands.reservation:Delete",
    "allocation create": "dibs.cli.commands.allocation:Create",
    "allocation list": "dibs.cli.commands.allocation:List",
    "allocation show": "dibs.cli.commands.allocation:Show",
    "allocation retry": "dibs.cli.commands.allocation:Retry",
    "allocation delete": "dibs.cli.commands.allocation:Delete",
    "lease create": "dibs.cli.commands.lease:Create",
    "lease list": "dibs.cli.commands.lease:List",
    "lease show": "dibs.cli.commands.lease:Show",
    "lease update": "dibs.cli.commands.lease:Update",
    "lease delete": "dibs.cli.commands.lease:Delete",
    "lease why": "dibs.cli.commands.lease:Why",
    "candidates": "dibs.cli.commands.why:Candidates",
    "why": "dibs.cli.commands.why:Why",
}
"""As ``dibs`` calls them."""


def name_in_openstack(name: str) -> str:
    """``openstack baremetal reservation …``, as specification 001 has it; everything else behind ``openstack dibs``."""
    return f"baremetal {name}" if name.startswith("reservation ") else f"dibs {name}"
