"""The native dialect: what no OpenStack API has. Several nodes at once, waiting, another try, what outlives tear-down.

What is spoken, with examples: docs/dialects/native.md.
"""

from dibs.dialects.native.dialect import Native

__all__ = ["Native"]
