package counterfoil;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A session's outage: a plan that sets and removes rules automatically. */
public final class Outage {
    private final Calls calls;
    private final String path;

    Outage(Calls calls, String path) {
        this.calls = calls;
        this.path = path;
    }

    /**
     * The outage at the time of the call.
     *
     * @param name its name; null for a plan without one
     * @param running whether it is running
     * @param left the remaining time; null if it is not known
     * @param rules its rules with what they have done
     * @param json the outage as the admin API has it
     */
    public record State(String name, boolean running, Duration left, List<RuleState> rules, Map<String, Object> json) {}

    /**
     * Starts an outage, to its end.
     *
     * @param name such as {@code brownout}
     */
    public void start(String name) {
        start(Map.of("name", name));
    }

    /**
     * Starts an outage for a time by the session clock.
     *
     * @param name such as {@code brownout}
     * @param limit the longest time that it runs
     */
    public void start(String name, Duration limit) {
        start(Map.of("name", name, "for", Durations.text(limit)));
    }

    /**
     * Starts an outage by plan.
     *
     * @param start the body of the admin API's {@code POST …/outage}: {@code name} or {@code plan}, {@code for}, {@code seed},
     *     {@code replace}
     */
    public void start(Map<String, ?> start) {
        calls.send("POST", path, new LinkedHashMap<>(start));
    }

    /**
     * The state of the outage.
     *
     * @return empty if none was started
     */
    public Optional<State> state() {
        try {
            Fields outage = calls.get(path);
            Long left = outage.optionalNumber("left_ms");
            return Optional.of(
                new State(
                    outage.optionalText("name"), outage.truth("running"), left == null ? null : Duration.ofMillis(left),
                    outage.objects("rules", RuleState::of), outage.map()));
        } catch (CounterfoilException error) {
            if (error.status() == 404 && error.detail().startsWith("no outage")) return Optional.empty();
            throw error;
        }
    }

    /** Ends it. The server rejects the call if none was started. */
    public void stop() {
        calls.act("DELETE", path);
    }
}
