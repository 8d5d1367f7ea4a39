"""Text to vectors, terms, statements: offline by default, by an endpoint where one is configured."""
