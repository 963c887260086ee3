"""What evaluators print, recognised: one file a way of printing, `registry` has them all."""
