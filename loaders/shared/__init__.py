"""Shared parts of loaders: files, fields of records, tables, the base class."""
