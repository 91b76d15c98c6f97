"""HTTP contracts over the one ledger, one package each; no dialect knows another."""
