package counterfoil;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A session's clock. Tokens expire and payments settle by it. Only a reset moves it back. */
public final class Clock {
    private final Calls calls;
    private final String path;

    Clock(Calls calls, String path) {
        this.calls = calls;
        this.path = path;
    }

    /**
     * The clock at the time of the call.
     *
     * @param now its instant
     * @param frozen whether it is frozen
     * @param skew the difference between the header {@code Date} and the clock
     */
    public record State(Instant now, boolean frozen, Duration skew) {}

    /**
     * The current clock.
     *
     * @return its instant, mode and skew
     */
    public State state() {
        return state(calls.get(path));
    }

    /**
     * The current instant.
     *
     * @return the instant
     */
    public Instant now() {
        return state().now();
    }

    /**
     * Advances the clock.
     *
     * @param by the time by which to advance; not negative
     * @return the clock afterwards
     */
    public State advance(Duration by) {
        return state(calls.send("POST", path + "/advance", Map.of("by", Durations.text(by))));
    }

    /**
     * Sets it.
     *
     * @param now an instant that is not before the current one
     * @return the clock afterwards
     */
    public State set(Instant now) {
        return put("now", now.toString());
    }

    /**
     * Freezes the clock at its current instant.
     *
     * @return the clock afterwards
     */
    public State freeze() {
        return put("mode", "frozen");
    }

    /**
     * Lets the clock run.
     *
     * @return the clock afterwards
     */
    public State run() {
        return put("mode", "running");
    }

    /**
     * Sets the difference between the header {@code Date} and the clock.
     *
     * @param skew the difference; negative if the bank's {@code Date} is behind
     * @return the clock afterwards
     */
    public State skew(Duration skew) {
        return put("skew", Durations.text(skew));
    }

    private State put(String key, String value) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put(key, value);
        return state(calls.send("PUT", path, body));
    }

    private static State state(Fields clock) {
        return new State(clock.instant("now"), clock.text("mode").equals("frozen"), clock.duration("skew"));
    }
}
