"""One function per thing that somebody wants: ``verb_noun(tx, actor, now, command) -> result``.

A use case runs inside one transaction that it neither begins nor ends, and may be run again from its start when the
engine refuses; so it touches nothing but ``tx``, and it does its work in one order: lock, check everything, write.
"""
