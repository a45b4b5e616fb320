"""What loaders share: files, fields of records, tables, the base class."""
