"""Forums: questions that students ask there, and answers that are posted there. One file a forum."""
