"""The ledger: providers, inventories, traits, resource classes, aggregates, consumers and claims."""
