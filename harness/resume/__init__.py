"""What a judge that broke off had finished, kept so that another goes on from there."""
