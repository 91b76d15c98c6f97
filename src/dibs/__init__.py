"""Dibs answers one question for people who run machines: which machine may I have, and when?"""
