"""Events: one row for each change of an object, written in the transaction of the change (docs/adr/0014).

Queries of the rooms above call ``tx.record`` where they write a row; the runner has ``operations/recording.py`` insert
all events of a transaction in one statement before its commit. So there is no change without an event, and a
transaction that is rolled back leaves none. ``model/events.py`` is the value, and says what an event shows of an
object. The row id of an event is no place in a stream, because ids are issued before the commit; ``publishing`` gives
each committed event its position.
"""
