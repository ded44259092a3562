"""An apply, gate by gate: this module is the order. What each gate refuses is a row of `apply-gates`.

The numbers are those of section 2.2 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.cli.application import Application
from streamt_ol.cli.apply_report import ApplyResult
from streamt_ol.cli.deployment import NotSoundError
from streamt_ol.cli.face import diagnostics
from streamt_ol.deploy.applying.records import OperationFailedError
from streamt_ol.ground.errors import Failures, StreamtError

if TYPE_CHECKING:
    from streamt_ol.cli.application import ApplyRequest
    from streamt_ol.cli.face import Face


def apply_project(request: ApplyRequest, face: Face) -> ApplyResult:
    """Return the result of an apply; in text mode what it did is already on stdout.

    Raises what loading the project raises. Before the last line, nothing is durable and no event is sent.
    """
    apply = Application(request, face)  # 1
    try:
        apply.refuse_mixed_options()  # 2 to 4
        apply.require_review()  # 5, 6
        apply.require_remote_state()  # 7
        apply.confirm()  # 8
        apply.validate()  # 9
        apply.compile()  # 10 to 13
        with apply.locked():  # 14, held to the end
            apply.read_state()  # 15, 17
            apply.locate_removals("connector")  # 16
            apply.require_context()  # 18
            apply.locate_removals("gateway_rule")  # 19
            apply.select()  # 20
            apply.make_plan()  # 21, 22
            apply.require_current()  # 23
            apply.refuse_blocked()  # 24
            apply.refuse_deletions()  # 25
            if request.dry_run:  # 26
                return apply.shown()
            report = apply.carry_out()  # 27 to 32, and then the durable steps: deploy/applying/operation.py
    except OperationFailedError as failed:
        return apply.failed(failed)
    except NotSoundError as error:
        return ApplyResult(face.command, apply.data, face.warnings, error.errors)
    except (StreamtError, Failures) as error:
        return ApplyResult(face.command, apply.data, face.warnings, diagnostics(error, apply.project.origins))
    return apply.applied(report)
