"""The rules for objects that belong to a project, or to every project: webhooks and calendars.

A caller manages those of its project; ``create_all``, ``get_all`` and ``delete_all`` cover every project.
"""

from msgspec import Struct

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.errors import Forbidden


class ProjectRules(Struct, frozen=True):
    """The six rules for one kind of object, such as ``dibs:webhook``; a project of None stands for every project."""

    kind: str

    def visible(self, access: Access) -> VisibleProjects:
        """Return the projects whose objects the caller sees; raise Forbidden when there are none."""
        get_all = f"{self.kind}:get_all"
        if access.allows(get_all, {}):
            return EVERY_PROJECT
        if not access.actor.project:
            raise Forbidden(resource=get_all)
        access.require(f"{self.kind}:get", {})
        return frozenset({access.actor.project})

    def sees(self, access: Access, project: str | None) -> bool:
        """Return whether the caller sees the objects of a project."""
        visible = self.visible(access)
        return visible is EVERY_PROJECT or project in visible

    def require_to_create(self, access: Access, project: str | None) -> None:
        """Raise Forbidden unless the caller may create an object of a project."""
        self._require(access, "create", project)

    def require_to_delete(self, access: Access, project: str | None) -> None:
        """Raise Forbidden unless the caller may delete an object of a project that it sees."""
        self._require(access, "delete", project)

    def _require(self, access: Access, action: str, project: str | None) -> None:
        own = project is not None and project == access.actor.project
        access.require(f"{self.kind}:{action}" if own else f"{self.kind}:{action}_all", {})
