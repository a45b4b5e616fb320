"""Filings of the SEC."""
