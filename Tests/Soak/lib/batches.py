"""batches: many inputs against one bank, and a look at what they together must have left as it was."""
from soaking import Failure

LOOK_EVERY = 50  # inputs: then ledger and memory are looked at


class Batch:
    """Payments since the bank was reset: known, and of the last input those whose acknowledgement may be lost."""

    def __init__(self):
        self.sure = self.unsure = 0


class Batches:
    """All inputs of a generator, in batches.

    - attempt: makes, sends and looks at one input: (soak, bank, number, batch).
    - finish: puts away what the last input has left.
    """

    def __init__(self, soak, bank, attempt, finish=lambda: None):
        self.soak, self.bank, self.attempt, self.finish = soak, bank, attempt, finish

    def run(self):
        numbers = list(self.soak.numbers())
        for start in range(0, len(numbers), LOOK_EVERY):
            self._batch(numbers[start:start + LOOK_EVERY])
        self.soak.attempt(numbers[-1], self._end)

    def _end(self):
        self.finish()
        self.bank.look_at_end()

    def _batch(self, numbers):
        batch, failures = Batch(), self.soak.failures
        for number in numbers:
            self.soak.attempt(number, lambda: self._once(number, batch))
        try:
            self._settle(batch)
        except Failure as failure:
            # A failure that was reported already needs no second search.
            if self.soak.failures == failures:
                self._blame(numbers, failure)
            self.bank.reset()
        self.soak.kept = {}

    def _once(self, number, batch):
        try:
            self.attempt(self.soak, self.bank, number, batch)
        except Failure:
            self.bank.look_alive(0.2)  # its end shows more than what came of it
            raise
        self.bank.look_public()
        if batch.unsure:  # settled at once, so that it hides nothing of the next input
            batch.sure, batch.unsure = self.bank.look_ledger((batch.sure, batch.sure + batch.unsure)), 0

    def _settle(self, batch):
        self.bank.look_ledger((batch.sure, batch.sure + batch.unsure))
        self.bank.look_memory()
        self.bank.reset()

    def _blame(self, numbers, failure):
        """Tries each input of a batch again by itself, to find which one failed."""
        self.bank.reset()
        for number in numbers:
            alone = Batch()
            try:
                self._once(number, alone)
                self._settle(alone)
            except Failure as found:
                return self.soak.fail(number, found)
        self.soak.fail(numbers[-1], Failure(f"{failure}; inputs {numbers[0]} to {numbers[-1]} do so together, none alone"))
