"""The signed-in customer, and the tokens that a request carries."""

import copy
import hashlib
import time

import page
from errors import Failure
from store import Lock


def _nameless(token):
    """The owner of a token without a customer's name: nobody we know."""
    return hashlib.sha256(token.encode()).hexdigest()


class SignIn:
    """The part of the client that signs in and out and renews tokens. `Client` adds the requests."""

    def __init__(self, bank, store, habits, base_url):
        self.bank, self.store, self.habits = bank, store, habits
        self.page = page.Page(base_url)
        self.customer = None  # whom this client acts for, see `acting`
        self.refreshing = Lock(store.path + ".refresh")  # one refresh at a time, in all processes of the app

    def acting(self):
        """This client, bound to the customer of this moment: it never goes on for the next one who signs in."""
        bound = copy.copy(self)
        bound.customer = self.store.get("customer")
        return bound

    def login(self, user, password, token):
        """Signs a customer in. Another customer is signed out first; a sign-in that fails leaves nobody signed in."""
        owner = user or _nameless(token or "")
        self._sign_in(owner, lambda: (owner, self._granted(user, password, token)))

    def begin(self):
        """The address of the bank's page, where the customer signs in."""
        return self.page.begin(self.bank.page_path)

    def finish(self, url):
        """Signs in with the address that the app is opened with after the page."""
        answer, verifier = self.page.answer(url)

        def granted():
            # Once: a second use of a code ends what the first one gave (RFC 6749 §4.1.2).
            tokens = self._dated(self.bank.tokens(self._send_once(*self.bank.code_call(page.code(answer), page, verifier))))
            return _nameless(tokens["access"]), tokens

        self._sign_in(None, granted)

    def _sign_in(self, owner, granted):
        """Signs in with the owner and the tokens that `granted` returns."""
        with self.store.lock:
            turn = self.store.get("turn", 0) + 1
            if owner is not None and owner == self.store.get("customer"):
                self.store.change(turn=turn)
            else:
                self.store.change(turn=turn, customer=None, tokens=None)
        try:
            owner, tokens = granted()
        except Failure:
            self._change_at(turn, tokens=None)
            raise
        if not self._change_at(turn, customer=owner, tokens=tokens):
            raise Failure("cancelled", "somebody signed in or out meanwhile", sent=False)

    def _granted(self, user, password, token):
        if self.bank.has_login:
            return self._dated(self.bank.tokens(self._send(*self.bank.login_call(user, password))))
        if not token:
            raise Failure("unauthorized", "the case has no token", sent=False)
        return {"access": token}

    def _change_at(self, turn, **values):
        """Changes the store unless somebody has signed in or out since that turn."""
        with self.store.lock:
            if self.store.get("turn") != turn:
                return False
            self.store.change(**values)
            return True

    def logout(self):
        """Forgets the tokens first, then asks the bank to revoke them: whatever it answers, they are gone here.

        Payment orders stay: an open payment may have moved money. Only the customer who made it sees it again.
        """
        with self.store.lock:
            tokens = self.store.get("tokens")
            self.store.change(turn=self.store.get("turn", 0) + 1, customer=None, tokens=None)
        if tokens:
            self._revoke(tokens)

    def _revoke(self, tokens):
        if not tokens.get("refresh"):
            return
        try:
            self._send(*self.bank.logout_call(tokens["refresh"]))
        except Failure:
            pass

    @property
    def signed_in(self):
        return self.store.get("tokens") is not None

    @property
    def prompts(self):
        """How often the user was asked to sign in again."""
        return self.store.get("prompts", 0)

    def _tokens(self):
        """The tokens of the customer that this client acts for; none once they signed out, or somebody else signed in."""
        with self.store.lock:
            self._check_customer()
            tokens = self.store.get("tokens")
        if not tokens:
            raise Failure("unauthorized", "not signed in", sent=False)
        return tokens

    def _check_customer(self):
        if self.customer is None or self.store.get("customer") != self.customer:
            raise Failure("unauthorized", "not signed in, or no longer", sent=False)

    def _token(self):
        """The access token to send now."""
        tokens = self._tokens()
        early = self.habits.refresh_ahead
        if early and tokens.get("refresh") and time.time() > tokens["until"] - early:
            return self._renewed(tokens["access"])
        return tokens["access"]

    def _renewed(self, rejected):
        """A token other than the rejected one. However many requests ask for it at once, one refresh serves them all."""
        with self.refreshing:
            tokens = self._tokens()
            if tokens["access"] != rejected:
                return tokens["access"]  # the same customer has signed in or refreshed meanwhile
            if not tokens.get("refresh"):
                self._forget(tokens)
                raise Failure("unauthorized", "the bank no longer takes the token", sent=False)
            try:
                renewed = self._dated(self.bank.tokens(self._send_once(*self.bank.refresh_call(tokens["refresh"]))))
                renewed["refresh"] = renewed["refresh"] or tokens["refresh"]  # RFC 6749 §6: without a new one the old one stays valid
            except Failure as failure:
                failure.sent = False  # the request that needs the token has not been carried out
                if failure.name in ("unauthorized", "rejected"):
                    self._forget(tokens)
                    raise Failure("unauthorized", "the refresh was rejected", sent=False) from None
                raise
            with self.store.lock:
                is_current = self.store.get("tokens") == tokens
                if is_current:
                    self.store.remember(tokens=renewed)  # the old ones are used up, whether these can be stored or not
            if not is_current:
                self._revoke(renewed)  # somebody signed in or out meanwhile: nobody will use them
            return self._tokens()["access"]

    @staticmethod
    def _dated(tokens):
        return {**tokens, "until": time.time() + tokens["seconds"]}

    def _forget(self, tokens):
        """Removes these tokens, unless newer ones have taken their place; the user is asked once to sign in again."""
        with self.store.lock:
            if self.store.get("tokens") == tokens:
                self.store.remember(tokens=None, prompts=self.prompts + 1)
