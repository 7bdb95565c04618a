"""The errors, by the names of the driver protocol."""


class Failure(Exception):
    """A step that failed.

    name         the error of the driver protocol, such as "timeout" or "unauthorized"
    sent         whether a byte of the request may have left: decides between "offline" and "outcome_unknown" for a payment
    retryable    whether the same request may do better a moment later
    retry_after  how many seconds the bank asked us to wait; None if it said nothing
    problem      the bank's own name for what is wrong, such as "key-in-flight"
    """

    def __init__(self, name, detail="", sent=True, retryable=False, retry_after=None, problem=None):
        super().__init__(detail or name)
        self.name, self.detail, self.sent = name, detail or name, sent
        self.retryable, self.retry_after, self.problem = retryable, retry_after, problem
