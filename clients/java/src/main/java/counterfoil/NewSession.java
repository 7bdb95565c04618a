package counterfoil;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A session to be made: {@code new NewSession("roundup").seed(9).frozenAt(Instant.parse("2026-01-12T09:15:00Z"))}. */
public final class NewSession {
    private final Map<String, Object> json = new LinkedHashMap<>();

    /**
     * A session of that bank.
     *
     * @param bank a bank that is served
     */
    public NewSession(String bank) {
        json.put("bank", bank);
    }

    /**
     * Names it; otherwise it gets a name of its own.
     *
     * @param name 1 to 63 of a-z, 0-9 and -
     * @return this
     */
    public NewSession name(String name) {
        return with("name", name);
    }

    /**
     * The seed of everything random; otherwise the server's.
     *
     * @param seed taken as an unsigned number
     * @return this
     */
    public NewSession seed(long seed) {
        return with("seed", Fields.seed(seed));
    }

    /**
     * Begins with a clock that stands.
     *
     * @param instant where it stands
     * @return this
     */
    public NewSession frozenAt(Instant instant) {
        return with("clock", instant.toString());
    }

    /**
     * Begins with a clock that runs.
     *
     * @param instant where it begins
     * @return this
     */
    public NewSession runningFrom(Instant instant) {
        return with("clock", Map.of("now", instant.toString(), "mode", "running"));
    }

    /**
     * Gives it a port of its own, in clear text.
     *
     * @return this
     */
    public NewSession listen() {
        return with("listen", true);
    }

    /**
     * Gives it a port of its own, under TLS.
     *
     * @return this
     */
    public NewSession listenTls() {
        return with("listen", "tls");
    }

    /**
     * Begins with an outage.
     *
     * @param name such as {@code brownout}
     * @return this
     */
    public NewSession outage(String name) {
        return with("plan", name);
    }

    private NewSession with(String key, Object value) {
        json.put(key, value);
        return this;
    }

    Map<String, Object> json() {
        return json;
    }
}
