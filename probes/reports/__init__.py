"""Pasted text to facts. :mod:`~torchdoctor.probes.reports.pasted` reads a whole text; here nothing is imported, so that
decoding a machine profile costs no parser.
"""
