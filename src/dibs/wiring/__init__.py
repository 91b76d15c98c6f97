"""Wiring: build processes from their parts. The only package that knows all others.

Here belongs what passes settings and parts to each other; what a part does belongs in its own package. Start with
``processes``, which builds an API, a conductor or both:

- ``hooks`` lists the hooks and laws that packages register, and builds the runner whose operations find them;
- ``parts`` makes the conductor, the dialects and the console, with the values that ``rules`` makes from the settings;
- ``administration`` is what the commands for the database do.
"""
