"""The names of all commands in ``dibs`` and ``openstack``, and their classes."""

SERVER_COMMANDS = {
    "serve": "dibs.cli.commands.serve:Serve",
    "api": "dibs.cli.commands.serve:Api",
    "conductor": "dibs.cli.commands.serve:Conductor",
    "clouds-yaml": "dibs.cli.commands.clouds_yaml:CloudsYaml",
    "check": "dibs.cli.commands.check:Check",
    "db upgrade": "dibs.cli.commands.database:Upgrade",
    "db check": "dibs.cli.commands.database:Check",
    "db version": "dibs.cli.commands.database:Version",
    "db encrypt secrets": "dibs.cli.commands.database:EncryptSecrets",
    "complete": "dibs.cli.commands.completion:Complete",
    "user add": "dibs.cli.commands.user:Add",
    "import ironic": "dibs.cli.commands.importing:Ironic",
    "import placement": "dibs.cli.commands.importing:Placement",
    "import blazar": "dibs.cli.commands.importing:Blazar",
}
"""The commands for operators of a server, in ``dibs`` only."""

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
    "allocation renew": "dibs.cli.commands.allocation:Renew",
    "allocation delete": "dibs.cli.commands.allocation:Delete",
    "host create": "dibs.cli.commands.host:Create",
    "host list": "dibs.cli.commands.host:List",
    "host show": "dibs.cli.commands.host:Show",
    "host set": "dibs.cli.commands.host:Set",
    "host delete": "dibs.cli.commands.host:Delete",
    "lease create": "dibs.cli.commands.lease:Create",
    "lease list": "dibs.cli.commands.lease:List",
    "lease show": "dibs.cli.commands.lease:Show",
    "lease update": "dibs.cli.commands.lease:Update",
    "lease release": "dibs.cli.commands.lease:Release",
    "lease delete": "dibs.cli.commands.lease:Delete",
    "lease why": "dibs.cli.commands.lease:Why",
    "quota set": "dibs.cli.commands.projects.quota:Set",
    "quota show": "dibs.cli.commands.projects.quota:Show",
    "quota list": "dibs.cli.commands.projects.quota:List",
    "quota unset": "dibs.cli.commands.projects.quota:Unset",
    "maintenance plan": "dibs.cli.commands.operators.maintenance:Plan",
    "maintenance list": "dibs.cli.commands.operators.maintenance:List",
    "maintenance delete": "dibs.cli.commands.operators.maintenance:Delete",
    "share set": "dibs.cli.commands.projects.share:Set",
    "share list": "dibs.cli.commands.projects.share:List",
    "share unset": "dibs.cli.commands.projects.share:Unset",
    "audit": "dibs.cli.commands.audit:Audit",
    "report": "dibs.cli.commands.events.report:Report",
    "webhook create": "dibs.cli.commands.events.webhook:Create",
    "webhook list": "dibs.cli.commands.events.webhook:List",
    "webhook show": "dibs.cli.commands.events.webhook:Show",
    "webhook enable": "dibs.cli.commands.events.webhook:Enable",
    "webhook delete": "dibs.cli.commands.events.webhook:Delete",
    "webhook delivery list": "dibs.cli.commands.events.webhook:ListDeliveries",
    "calendar create": "dibs.cli.commands.events.calendar:Create",
    "calendar list": "dibs.cli.commands.events.calendar:List",
    "calendar delete": "dibs.cli.commands.events.calendar:Delete",
    "candidates": "dibs.cli.commands.why:Candidates",
    "why": "dibs.cli.commands.why:Why",
    "why candidates": "dibs.cli.commands.why:WhyCandidates",
}
"""The commands that talk to a server, in ``dibs`` and, as entry points in pyproject.toml, in ``openstack``."""

COMMANDS = {**SERVER_COMMANDS, **CLIENT_COMMANDS}
"""Name and class of each command of ``dibs``. The class is imported when the command runs."""


def name_in_openstack(name: str) -> str:
    """Return the name of a client command in ``openstack``.

    Reservations are ``openstack baremetal reservation …``, as specification 001 says; all others ``openstack dibs …``.
    """
    return f"baremetal {name}" if name.startswith("reservation ") else f"dibs {name}"
