package counterfoil;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A session's challenges: requests that a customer must confirm. Without a number, a decision applies to the newest pending request. */
public final class Challenges {
    private final Calls calls;
    private final String path;

    Challenges(Calls calls, String path) {
        this.calls = calls;
        this.path = path;
    }

    /**
     * A challenge.
     *
     * @param number its number in the session, from 1
     * @param id its id, as the client gets it
     * @param kind {@code otp}, {@code decoupled} or {@code redirect}
     * @param login the customer
     * @param operation the operation that was requested
     * @param state {@code pending}, {@code approved}, {@code denied}, {@code locked} or {@code expired}
     * @param code the correct code; null for any other kind than {@code otp}
     * @param wrongCodes the number of wrong codes so far
     * @param expiresAt its end, by the session clock
     */
    public record Challenge(
        long number, String id, String kind, String login, String operation, String state, String code, long wrongCodes,
        Instant expiresAt) {}

    /**
     * All challenges.
     *
     * @return their state, oldest first
     */
    public List<Challenge> list() {
        return calls.get(path).objects(
            "challenges",
            one -> new Challenge(
                one.number("number"), one.text("id"), one.text("kind"), one.text("login"), one.text("operation"), one.text("state"),
                one.optionalText("code"), one.number("wrong_codes"), one.instant("expires_at")));
    }

    /** Confirms the request: a challenged payment is executed. */
    public void approve() {
        approve(pending());
    }

    /**
     * Confirms the request: a challenged payment is executed.
     *
     * @param number the challenge
     */
    public void approve(long number) {
        decide(number, "approve");
    }

    /** Denies the request: a challenged payment is never executed. */
    public void deny() {
        deny(pending());
    }

    /**
     * Denies the request: a challenged payment is never executed.
     *
     * @param number the challenge
     */
    public void deny(long number) {
        decide(number, "deny");
    }

    private long pending() {
        return list().stream().filter(one -> one.state().equals("pending")).mapToLong(Challenge::number).max()
            .orElseThrow(() -> new IllegalStateException("found no pending challenge, expected one: the bank has not challenged a request"));
    }

    private void decide(long number, String decision) {
        calls.send("POST", path + "/" + number, Map.of("decision", decision));
    }
}
