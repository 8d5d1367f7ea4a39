"""What can go wrong, by whose fault it is and whether it may be tried again.

    MindError
      Refused             the request's fault: the same request is refused again
        Malformed           a field is wrong (type); its kinds:
          Missing             it is absent, empty or blank
          OutOfRange          its value is outside what is allowed
          TooLarge            it is over a size limit
        NotFound            no such thing, or none of yours
          Retired             it existed, and its record has been let go
        Conflict            it contradicts what is stored, or what is under way; of the latter kind:
          UnderWay            the same is being done; may be tried again after `retry_after` seconds
        Forbidden           the credential may not do this
        Unauthenticated     the credential is missing, unknown or revoked
        TooHot              too much heat in the window; may be tried after `retry_after` seconds
        OutOfPoints         the account has no points left
      Unavailable         our fault: the same request may succeed later
        StoreUnavailable    a store does not answer
        ModelUnavailable    a model endpoint does not answer, or answers nonsense

Status numbers and codes of the wire live in the faces.
"""


class MindError(Exception):
    """Whatever this package raises on purpose."""


class Refused(MindError):
    """The request's fault; repeating it changes nothing."""


class Malformed(Refused):
    """The value of *field* can't be taken; *problem* says why in words for the caller."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class Missing(Malformed):
    """*field* is required and is absent, empty or blank."""


class OutOfRange(Malformed):
    """The value of *field* is outside its range."""


class TooLarge(Malformed):
    """*field* is over its size limit."""


class NotFound(Refused):
    """No such thing within the caller's reach; whether it exists elsewhere is not told."""


class Retired(NotFound):
    """It existed and was yours; its record is no longer kept."""


class Conflict(Refused):
    """The request contradicts what is stored, or what is under way."""


class UnderWay(Conflict):
    """The same is being done by somebody else, who is done or given up on after *retry_after* seconds."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Forbidden(Refused):
    """The credential does not allow this."""


class Unauthenticated(Refused):
    """The credential is missing, unknown or revoked."""


class TooHot(Refused):
    """The heat window is full; the same request passes after *retry_after* seconds."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OutOfPoints(Refused):
    """Nothing is left to spend."""


class Unavailable(MindError):
    """Our fault; the same request may succeed later."""


class StoreUnavailable(Unavailable):
    """The store named *store* does not answer; *reason* is the driver's word."""

    def __init__(self, store: str, reason: str) -> None:
        super().__init__(f"{store}: {reason}")
        self.store = store
        self.reason = reason


class ModelUnavailable(Unavailable):
    """The model named *model* does not answer, or what it answers can't be used."""

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(f"{model}: {reason}")
        self.model = model
        self.reason = reason
