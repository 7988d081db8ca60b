"""Files and folders that only this user can read: they contain students' questions and solutions."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

log = logging.getLogger("edumod")

FOLDER_MODE = 0o700
FILE_MODE = 0o600

HOME_FOLDERS = ("book", "cache", "datasets", "index", "models", "reports")
"""Folders that EduMod writes below its home. Other files in the home folder are not touched."""


def private_folder(folder: Path) -> None:
    """Create the folder and its missing parents, readable by this user only. An existing folder is not changed.

    Raises `OSError` if it cannot be created.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=FOLDER_MODE, exist_ok=True)


def private_opener(path: str, flags: int) -> int:
    """The `opener` of `open` for a file that only this user can read."""
    return os.open(path, flags, FILE_MODE)


def make_private(path: Path) -> None:
    """Remove all permissions of other users from a file or folder. Logs a warning if that is not allowed."""
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

    A folder that is already private is not searched, since everything written into it later is private too. Therefore
    the contents of a folder are changed before the folder itself. Logs a warning for what cannot be changed.
    """
    try:
        private_folder(home)
    except OSError as error:
        log.warning("The folder %s cannot be created, so nothing is stored in it: %s", home, error)
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
