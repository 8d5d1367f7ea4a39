"""What is kept under which key: domain objects to rows and back, over the Table port."""
