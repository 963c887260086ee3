"""What a candidate may be made of, and what its process may do beside its call (docs/policy.md)."""
