"""Commands as messages show them: whoever reads one can paste it into a shell.

Names are quoted where a shell would read them otherwise; of several environments the one meant is named.
"""

from __future__ import annotations

import shlex

from streamt_ol.project.environments import DEFAULT


def adopt_command(kind: str, name: str, environment: str) -> str:
    """Return `streamt adopt topic:orders --env prod`."""
    return shlex.join(["streamt", "adopt", f"{kind}:{name}", *_chosen(environment)])


def plan_command(environment: str, file: str) -> str:
    """Return `streamt plan --env prod --out FILE`."""
    return shlex.join(["streamt", "plan", *_chosen(environment), "--out", file])


def apply_command(environment: str, file: str) -> str:
    """Return `streamt apply --env prod --plan FILE`."""
    return shlex.join(["streamt", "apply", *_chosen(environment), "--plan", file])


def _chosen(environment: str) -> list[str]:
    """Return the option that chooses an environment; none where the project has only the one."""
    return [] if environment == DEFAULT else ["--env", environment]
