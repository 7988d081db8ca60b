"""Work that is not done while somebody waits: in this process, or by `edumod worker` on any machine."""
