"""What the sessions of browsers depend on in the database: the key that signs them.

The key is one row, made by the migration that adds the table, so that every API process of a site accepts the sessions
that another one began. ``http.auth.sessions`` signs and verifies with it; the console derives the tokens of its forms.
"""
