package counterfoil;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The settings of a new session: {@code new NewSession("roundup").seed(9).frozenAt(Instant.parse("2026-01-12T09:15:00Z"))}. */
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
     * Sets the session's name; by default the server chooses one.
     *
     * @param name 1 to 63 of a-z, 0-9 and -
     * @return this
     */
    public NewSession name(String name) {
        return with("name", name);
    }

    /**
     * The seed for all random values; by default the server's.
     *
     * @param seed taken as an unsigned number
     * @return this
     */
    public NewSession seed(long seed) {
        return with("seed", Fields.seed(seed));
    }

    /**
     * Starts with a frozen clock.
     *
     * @param instant the time of the frozen clock
     * @return this
     */
    public NewSession frozenAt(Instant instant) {
        return with("clock", instant.toString());
    }

    /**
     * Starts with a running clock.
     *
     * @param instant where it begins
     * @return this
     */
    public NewSession runningFrom(Instant instant) {
        return with("clock", Map.of("now", instant.toString(), "mode", "running"));
    }

    /**
     * Gives the session a separate port, without TLS.
     *
     * @return this
     */
    public NewSession listen() {
        return with("listen", true);
    }

    /**
     * Gives the session a separate port, with TLS.
     *
     * @return this
     */
    public NewSession listenTls() {
        return with("listen", "tls");
    }

    /**
     * Starts with an outage.
     *
     * @param name such as {@code brownout}
     * @return this
     */
    public NewSession outage(String name) {
        return with("plan", name);
    }

    /**
     * Sets its labels.
     *
     * @param labels texts by which it can be found, such as {@code Map.of("team", "ios")}
     * @return this
     */
    public NewSession labels(Map<String, String> labels) {
        return with("labels", Map.copyOf(labels));
    }

    /**
     * Sets the time after which an unused session is removed; the default is that of {@code serve --session-ttl}.
     *
     * @param timeToLive whole milliseconds
     * @return this
     */
    public NewSession timeToLive(Duration timeToLive) {
        return with("ttl", Durations.text(timeToLive));
    }

    /**
     * Makes customers confirm payments and reads of old rows; by default the bank's setting.
     *
     * @param kind {@code otp}, {@code decoupled}, {@code redirect} or {@code off}
     * @return this
     */
    public NewSession challenges(String kind) {
        return with("challenges", kind);
    }

    /**
     * Lets the sign-in page approve at once if its address has {@code auto=approve}, for tests without a browser.
     *
     * @return this
     */
    public NewSession approving() {
        return with("authorize", "auto");
    }

    /**
     * The name of a session for a test, from the test's id, such as JUnit's {@code context.getUniqueId()}.
     *
     * <p>An id that is already a valid name is returned unchanged. Any other is reduced to its letters and digits, at most 54, followed
     * by eight digits of its SHA-256: different ids get different names, and an id gets the same name in every run.
     *
     * @param test the test's id
     * @return 1 to 63 of a-z, 0-9 and -
     */
    public static String nameOf(String test) {
        if (test.matches("[a-z0-9-]{1,63}")) return test;
        String readable = stripped(test.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-"));
        readable = stripped(readable.substring(0, Math.min(54, readable.length())));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(test.getBytes(StandardCharsets.UTF_8));
            return (readable.isEmpty() ? "" : readable + "-") + HexFormat.of().formatHex(digest, 0, 4);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }

    /**
     * The value of a label for a test, from the test's id: its last 63 characters, with {@code -} for those that a label cannot have.
     *
     * @param test the test's id
     * @return such as {@code app.PaymentTest.paysOnce}
     */
    public static String labelOf(String test) {
        String label = test.replaceAll("[^A-Za-z0-9_.:/@+ -]+", "-");
        label = label.substring(Math.max(0, label.length() - 63)).strip();
        return label.isEmpty() ? "test" : label;
    }

    /** This, named and labelled after a test, as far as it has neither name nor label. */
    NewSession forTest(String test) {
        NewSession named = new NewSession("");
        named.json.putAll(json);
        named.json.putIfAbsent("name", nameOf(test));
        named.json.putIfAbsent("labels", Map.of("test", labelOf(test)));
        return named;
    }

    private static String stripped(String text) {
        return text.replaceAll("^-+|-+$", "");
    }

    private NewSession with(String key, Object value) {
        json.put(key, value);
        return this;
    }

    Map<String, Object> json() {
        return json;
    }
}
