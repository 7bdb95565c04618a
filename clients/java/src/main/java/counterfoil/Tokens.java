package counterfoil;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A session's tokens. A token's text is returned only when it is issued; everywhere else it has a name such as {@code token#1}. */
public final class Tokens {
    private final Calls calls;
    private final String path;

    Tokens(Calls calls, String path) {
        this.calls = calls;
        this.path = path;
    }

    /**
     * A token that was issued.
     *
     * @param id its name, such as {@code token#1}
     * @param text what a client sends as {@code Authorization: Bearer}
     * @param refreshToken the text of its refresh token; null if the bank has none
     * @param expiresAt its end by the session clock; null if it has none
     */
    public record Issued(String id, String text, String refreshToken, Instant expiresAt) {
        @Override
        public String toString() {
            return id;
        }
    }

    /**
     * A token in the list.
     *
     * @param id its name
     * @param kind {@code access} or {@code refresh}
     * @param login the customer
     * @param scopes what it allows
     * @param expiresAt its end by the session clock; null if it has none
     * @param state such as {@code live}, {@code expired} or {@code revoked}
     */
    public record Token(String id, String kind, String login, List<String> scopes, Instant expiresAt, String state) {}

    /**
     * Issues a token to the first customer, with all scopes, for the bank's lifetime.
     *
     * @return the token
     */
    public Issued issue() {
        return issue(null, null, null);
    }

    /**
     * Issues a token with all scopes, for the bank's lifetime.
     *
     * @param login a customer
     * @return the token
     */
    public Issued issue(String login) {
        return issue(login, null, null);
    }

    /**
     * Issues a token.
     *
     * @param login a customer; null for the first
     * @param scopes what it allows; null for all
     * @param lifetime its lifetime; null for the bank's lifetime
     * @return the token
     */
    public Issued issue(String login, List<String> scopes, Duration lifetime) {
        Map<String, Object> body = new LinkedHashMap<>();
        if (login != null) body.put("login", login);
        if (scopes != null) body.put("scopes", scopes);
        if (lifetime != null) body.put("lifetime", Durations.text(lifetime));
        Fields token = calls.send("POST", path, body);
        return new Issued(token.text("id"), token.text("token"), token.optionalText("refresh_token"), token.optionalInstant("expires_at"));
    }

    /**
     * All tokens.
     *
     * @return their state, oldest first
     */
    public List<Token> list() {
        return calls.get(path).objects(
            "tokens",
            token -> new Token(
                token.text("id"), token.text("kind"), token.optionalText("login"), token.texts("scopes"),
                token.optionalInstant("expires_at"), token.text("state")));
    }

    /**
     * Expires one token now.
     *
     * @param id its name
     */
    public void expire(String id) {
        calls.act("POST", path + "/expire", Map.of("token", id));
    }

    /** Expires all access tokens now. */
    public void expireAll() {
        calls.act("POST", path + "/expire", Map.of());
    }

    /**
     * Revokes one token.
     *
     * @param id its name
     */
    public void revoke(String id) {
        calls.act("POST", path + "/revoke", Map.of("token", id));
    }

    /** Revokes all tokens. */
    public void revokeAll() {
        calls.act("POST", path + "/revoke", Map.of());
    }

    /**
     * Reduces the scopes of one token.
     *
     * @param id its name
     * @param scopes the scopes that the token keeps
     */
    public void downscope(String id, String... scopes) {
        calls.act("POST", path + "/downscope", Map.of("token", id, "scopes", List.of(scopes)));
    }

    /**
     * Reduces the scopes of all tokens.
     *
     * @param scopes the scopes that the tokens keep
     */
    public void downscopeAll(String... scopes) {
        calls.act("POST", path + "/downscope", Map.of("scopes", List.of(scopes)));
    }
}
