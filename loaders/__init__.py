"""Loaders: files to documents, one module a source; each yields what it could read and a Problem for what it could not.

A loader imports nothing of the project but `kgservice.core.records`, so a third party can copy one as a template.
"""
