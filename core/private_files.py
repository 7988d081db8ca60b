"""Files and folders for this user alone: what they hold are students' questions and solutions."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger("edumod")

FOLDER_MODE = 0o700
FILE_MODE = 0o600

HOME_FOLDERS = ("book", "cache", "datasets", "index", "models", "reports")
"""What EduMod writes below its home. A home may be a folder that holds other things too, which are left alone."""


def private_folder(folder: Path) -> None:
    """Create the folder, its missing parents included, for this user alone. One that exists stays as it is.

    Raises `OSError` where it cannot be created.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=FOLDER_MODE, exist_ok=True)


def private_opener(path: str, flags: int) -> int:
    """The `opener` of `open` for a file that only this user can read."""
    return os.open(path, flags, FILE_MODE)


def make_private(path: Path) -> None:
    """Take a file or folder from everyone but its owner. Where that is not allowed, a warning says so."""
    try:
        mode = path.stat().st_mode
        if mode & 0o077:
            path.chmod(mode & (FOLDER_MODE if stat.S_ISDIR(mode) else FILE_MODE))
    except FileNotFoundError:
        return
    except OSError as error:
        log.warning("Others may be able to read %s, since its permissions cannot be changed: %s", path, error)


def make_home_private(home: Path) -> None:
    """Create the home folder, or make it and what EduMod has written below it private.

    A folder that is private already is not looked into: what was written since is private too. So the contents of a
    folder come before the folder itself, and this is quick from the second time on. What cannot be changed is named
    in a warning.
    """
    try:
        private_folder(home)
    except OSError as error:
        log.warning("The folder %s cannot be created, so nothing is kept in it: %s", home, error)
    for name in HOME_FOLDERS:
        _make_tree_private(home / name)
    if home.is_dir() and home.stat().st_mode & stat.S_ISVTX:
        log.warning("%s is a folder that all users share. Name a folder of its own in EDUMOD_HOME.", home)
    else:
        make_private(home)


def _make_tree_private(folder: Path) -> None:
    if folder.is_symlink() or not folder.is_dir() or not folder.stat().st_mode & 0o077:
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _make_tree_private(Path(entry))
            elif not entry.is_symlink():
                make_private(Path(entry))
    make_private(folder)
