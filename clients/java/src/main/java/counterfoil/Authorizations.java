package counterfoil;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A session's sign-ins on the bank's page. Without a number, a decision applies to the newest pending sign-in. */
public final class Authorizations {
    private final Calls calls;
    private final String path;

    Authorizations(Calls calls, String path) {
        this.calls = calls;
        this.path = path;
    }

    /**
     * An attempt to sign in.
     *
     * @param number its number in the session, from 1
     * @param client the client's id
     * @param redirectUri the client's address that receives the response
     * @param scopes what the client asks for
     * @param state {@code pushed}, {@code pending}, {@code approved}, {@code denied} or {@code abandoned}
     * @param login the customer who approved; null for any other
     * @param expiresAt the end of the page, by the session clock
     */
    public record Authorization(
        long number, String client, String redirectUri, List<String> scopes, String state, String login, Instant expiresAt) {}

    /**
     * All attempts to sign in.
     *
     * @return their state, oldest first
     */
    public List<Authorization> list() {
        return calls.get(path).objects(
            "authorizations",
            attempt -> new Authorization(
                attempt.number("number"), attempt.text("client"), attempt.text("redirect_uri"), attempt.texts("scopes"),
                attempt.text("state"), attempt.optionalText("login"), attempt.instant("expires_at")));
    }

    /**
     * Signs in as the customer that the client names, or the first.
     *
     * @return the address with the code that the app gets
     */
    public String approve() {
        return approve(pending(), null);
    }

    /**
     * Signs in as a customer.
     *
     * @param login the customer
     * @return the address with the code that the app gets
     */
    public String approve(String login) {
        return approve(pending(), login);
    }

    /**
     * Signs in as a customer.
     *
     * @param number the attempt
     * @param login the customer; null for the one that the client names, or the first
     * @return the address with the code that the app gets
     */
    public String approve(long number, String login) {
        return decide(number, "approve", login).text("redirect");
    }

    /**
     * Denies access.
     *
     * @return the address with the error that the app gets
     */
    public String deny() {
        return deny(pending());
    }

    /**
     * Denies access.
     *
     * @param number the attempt
     * @return the address with the error that the app gets
     */
    public String deny(long number) {
        return decide(number, "deny", null).text("redirect");
    }

    /**
     * Decides nothing.
     *
     * @return the address with the error that the app gets
     */
    public String cancel() {
        return cancel(pending());
    }

    /**
     * Decides nothing.
     *
     * @param number the attempt
     * @return the address with the error that the app gets
     */
    public String cancel(long number) {
        return decide(number, "cancel", null).text("redirect");
    }

    /** Closes the page: the app gets no response. */
    public void abandon() {
        abandon(pending());
    }

    /**
     * Closes the page: the app gets no response.
     *
     * @param number the attempt
     */
    public void abandon(long number) {
        decide(number, "abandon", null);
    }

    private long pending() {
        return list().stream().filter(attempt -> attempt.state().equals("pending")).mapToLong(Authorization::number).max()
            .orElseThrow(() -> new IllegalStateException("found no pending sign-in, expected one: the app has not opened the bank's page"));
    }

    private Fields decide(long number, String decision, String login) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("decision", decision);
        if (login != null) body.put("login", login);
        return calls.send("POST", path + "/" + number, body);
    }
}
