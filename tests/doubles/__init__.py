"""Stand-ins for forums, faithful to what is known of each."""
