"""What a whole session shows, one idea a file. Folds over events: live sessions and archives alike."""
