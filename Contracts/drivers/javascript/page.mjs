// The sign-in on the bank's page: authorization code with PKCE (RFC 6749 §4.1, RFC 7636, RFC 8252). It asks for no ID token.
import { createHash, randomBytes } from "node:crypto";
import { Failure } from "./exact.mjs";

const CLIENT = "app", REDIRECT = "counterfoil-app:/callback", SCOPES = "accounts payments";

// The attempts of one client, one at a time. A verifier is in memory only, and no other attempt has it.
class Page {
  constructor(base) {
    this.base = base;
  }
  // The address of the page for a new attempt; one in progress ends.
  begin(path) {
    [this.verifier, this.state] = [randomBytes(48).toString("base64url"), randomBytes(24).toString("base64url")];
    const asked = {
      response_type: "code", client_id: CLIENT, redirect_uri: REDIRECT, scope: SCOPES, state: this.state,
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"), code_challenge_method: "S256",
    };
    return `${this.base}${path}?${new URLSearchParams(asked)}`;
  }
  // What the bank has answered to the attempt, which has ended then. An address that is no answer to it changes nothing: somebody else may
  // have made it.
  answer(url) {
    const [address, query = ""] = url.split("?", 2), given = new URLSearchParams(query);
    const one = (name) => (given.getAll(name).length === 1 ? given.get(name) : undefined);
    const isOurs = this.state && address === REDIRECT && one("state") === this.state;
    if (!isOurs) throw new Failure("rejected", "this address is no answer to a sign-in", { sent: false });
    if (given.has("iss") && one("iss") !== this.base) throw new Failure("rejected", "the answer of another bank", { sent: false }); // RFC 9207
    const { verifier } = this;
    this.verifier = this.state = undefined;
    return { code: one("code"), error: one("error"), verifier };
  }
}

// What is sent for the code in an answer. Throws the failure that stands there instead.
function exchangeForm({ code, error, verifier }) {
  if (error === "access_denied") throw new Failure("cancelled", "access denied", { sent: false });
  if (error === "server_error" || error === "temporarily_unavailable") throw new Failure("unavailable", error, { sent: false });
  if (error || !code) throw new Failure("rejected", error ?? "no code in the answer", { sent: false });
  return { grant_type: "authorization_code", code, redirect_uri: REDIRECT, client_id: CLIENT, code_verifier: verifier };
}

export { Page, exchangeForm };
