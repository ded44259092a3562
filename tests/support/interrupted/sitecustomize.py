"""On the path of a run that is to be interrupted: a real SIGINT arrives when the project file is opened."""

import os
import signal
import sys

_pending = [signal.SIGINT]


def _interrupt(event: str, arguments: tuple) -> None:
    if event == "open" and str(arguments[0]).endswith("stream_project.yml") and _pending:
        os.kill(os.getpid(), _pending.pop())


sys.addaudithook(_interrupt)
