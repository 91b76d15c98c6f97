"""Open the store of a database URL."""

from dibs.database.embedded import EmbeddedStore
from dibs.database.engines import engine_for
from dibs.database.store import PooledStore, Statistics, Store


def open_store(url: str, *, connections: int = 20, statistics: Statistics | None = None) -> Store:
    """Return the store of a URL. It connects at the first transaction."""
    engine = engine_for(url)
    statistics = statistics or Statistics()
    if engine.name == "sqlite":
        return EmbeddedStore(engine, statistics)
    return PooledStore(engine, connections, statistics)
