"""The only SQL of candidates: ``prefilter`` finds the trees worth loading, ``provider_trees`` loads them."""
