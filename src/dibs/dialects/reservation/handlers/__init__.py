"""The handlers, one module per noun: parse, run one operation, render."""
