"""From a question to its answer: what was asked, the run, the stored draft, the stream, and answering again."""
