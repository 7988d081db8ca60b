"""Questions about texts, answers to them and ratings of the answers, in the files of ELOQUENT Sensemaking."""
