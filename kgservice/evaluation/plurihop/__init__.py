"""PluriHop and Loong: questions over many documents."""
