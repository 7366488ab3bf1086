"""What a call fails with."""

from __future__ import annotations

from typing import Optional


class ClientError(Exception):
    """The service refused the call, or could not be reached."""

    def __init__(
        self,
        code: str,
        message: str,
        status: int,
        retry_after: Optional[float] = None,
        sent: bool = True,
    ) -> None:
        super().__init__(message)
        #: A code of docs/errors.md; ``unreachable``: no answer came.
        self.code = code
        #: HTTP status; 0: no answer.
        self.status = status
        #: Seconds the service asks to wait.
        self.retry_after = retry_after
        #: Whether the call may have reached the service.
        self.sent = sent

    @property
    def message(self) -> str:
        return str(self.args[0])

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed later."""
        return self.status == 0 or self.status == 429 or self.status >= 500

    def __repr__(self) -> str:
        return f"ClientError({self.code!r}, {self.message!r}, {self.status})"


def unreachable(message: str, sent: bool = True) -> ClientError:
    return ClientError("unreachable", message, 0, sent=sent)
