"""Loaders from files to documents, one module a source. Each yields documents, and a Problem for what it cannot read.

A loader imports nothing of the project but `kgservice.core.records`, so a third party can copy one as a template.
"""
