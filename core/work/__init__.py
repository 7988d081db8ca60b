"""Work on files and texts of strangers: one pool of processes, with limits of time and memory, fair between people.

WorkPool.run ──▶ Turns (who is next) ──▶ Worker ──job──▶ serving.serve (in the process)
                                                ◀──plain values──
"""
