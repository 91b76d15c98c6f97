"""Trees of providers for the search of candidates: found by what they must have, loaded whole.

What the narrowing statement looks like, for a question of one class with one required trait:

    SELECT root.id FROM providers AS root
     WHERE root.parent_id IS NULL
       AND EXISTS (SELECT 1 FROM providers AS member
                     JOIN inventories AS stock ON stock.provider_id = member.id
                    WHERE member.root_id = root.id AND stock.class_id = :class AND <:amount fits into stock>)
       AND EXISTS (SELECT 1 FROM providers AS member
                    WHERE member.root_id = root.id
                      AND EXISTS (SELECT 1 FROM provider_traits … WHERE trait IN (:trait)))
     ORDER BY root.id LIMIT :page_limit

``used`` is kept in the inventories, so nothing is added up, and with a limit the scan ends as soon as the page is full.
A statement is built once for each shape of question and kept; the values travel as parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Select, select

from dibs.domain.candidate_needs import Need
from dibs.domain.candidate_query import Criteria
from dibs.domain.provider_tree import SHARING_TRAIT, Tree
from dibs.store import sets, tree_rows
from dibs.store.candidate_narrowing import Narrowing, roots_that_match
from dibs.store.tables import provider_traits, providers
from dibs.store.transaction import Transaction

PAGE_MAX = 1_024
