"""One module per page of the console: parse the request, run an operation, render a template."""
