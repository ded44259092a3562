"""Becomes another program that ends when its parent ends, even by SIGKILL; as another user where one is named.

    python tethered.py PARENT SIGNAL USER PROGRAM ARGUMENT...

PARENT is the process that starts it, SIGNAL what the program is sent when that is gone, USER `-` for no change.
Only Linux has the tether; elsewhere the program is merely run.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import sys

PR_SET_PDEATHSIG = 1

parent, number, user, *command = sys.argv[1:]
if user != "-":
    entry = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
if sys.platform == "linux":  # after the change of user, which would undo it
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))
    if os.getppid() != int(parent):
        sys.exit("the parent ended before its child was tied to it")
os.execvp(command[0], command)  # noqa: S606 - this is what it is for
