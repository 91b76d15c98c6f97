"""Services that are not ours and that leases have to do with: Nova, and whoever has a say in who may have what."""

from dibs.integrations.enforcement import HttpEnforcement
from dibs.integrations.nova import Nova

__all__ = ["HttpEnforcement", "Nova"]
