"""`python -m app.cli.run`: the `edumod` command for a process that starts another one."""

from app.cli import main

if __name__ == "__main__":
    main()
