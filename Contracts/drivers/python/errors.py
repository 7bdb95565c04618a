"""The errors, by the names of the driver protocol."""

import kit  # noqa: F401
import counterfoil_driver


class Failure(counterfoil_driver.Failure):
    """A step that failed, with what this client needs to decide about another attempt.

    retryable    whether the same request may do better a moment later
    retry_after  how many seconds the bank asked us to wait; None if it named no time
    problem      the bank's own name for what is wrong, such as "key-in-flight"
    """

    def __init__(self, name, detail="", sent=True, retryable=False, retry_after=None, problem=None):
        super().__init__(name, detail, sent)
        self.retryable, self.retry_after, self.problem = retryable, retry_after, problem
