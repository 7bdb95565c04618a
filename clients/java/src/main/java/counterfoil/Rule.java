package counterfoil;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A rule: a fault, and the requests that it affects. Each method returns a new rule.
 *
 * <p>{@code Rule.of("lose-reply", Map.of("by", "reset")).role("pay").times(1)} loses the response to the next payment. Kinds, settings and
 * conditions are those of the admin API's {@code POST …/faults}; the server rejects what it does not know.
 */
public final class Rule {
    private final Map<String, Object> json;

    private Rule(Map<String, Object> json) {
        this.json = json;
    }

    /**
     * A rule for a fault without settings.
     *
     * @param kind such as {@code hang}
     * @return a rule for every exchange
     */
    public static Rule of(String kind) {
        return of(kind, Map.of());
    }

    /**
     * A rule for a fault.
     *
     * @param kind such as {@code lose-reply}
     * @param settings by name, such as {@code by}; texts, numbers, truth values, lists and maps
     * @return a rule for every exchange
     */
    public static Rule of(String kind, Map<String, ?> settings) {
        return new Rule(Map.of("fault", Map.of(kind, settings)));
    }

    /**
     * A rule as the admin API has it.
     *
     * @param json the JSON text of a rule
     * @return the rule
     * @throws IllegalArgumentException if the text is not a JSON object
     */
    public static Rule parse(String json) {
        if (!(Json.read(json) instanceof Map<?, ?> rule)) throw new IllegalArgumentException("found " + json + ", expected a JSON object");
        Map<String, Object> map = new LinkedHashMap<>();
        rule.forEach((key, value) -> map.put(String.valueOf(key), value));
        return new Rule(map);
    }

    /**
     * Delays the fault.
     *
     * @param delay the time
     * @return the rule
     */
    public Rule after(Duration delay) {
        Map<String, Object> fault = new LinkedHashMap<>();
        if (json.get("fault") instanceof Map<?, ?> before) before.forEach((key, value) -> fault.put(String.valueOf(key), value));
        else fault.put(String.valueOf(json.get("fault")), Map.of());
        fault.put("after", Durations.text(delay));
        return with("fault", fault);
    }

    /**
     * Only requests to operations of this role.
     *
     * @param role such as {@code pay}
     * @return the rule
     */
    public Rule role(String role) {
        return on("role", role);
    }

    /**
     * Only requests to this operation.
     *
     * @param operation its name in the bank's file
     * @return the rule
     */
    public Rule operation(String operation) {
        return on("operation", operation);
    }

    /**
     * Only requests of this customer.
     *
     * @param login the customer whose token it is
     * @return the rule
     */
    public Rule customer(String login) {
        return on("customer", login);
    }

    /**
     * Only the requests of that number for one intent, as the bank sees it.
     *
     * @param attempt 1 for the first
     * @return the rule
     */
    public Rule attempt(int attempt) {
        return on("attempt", attempt);
    }

    /**
     * Only requests that also meet a condition.
     *
     * @param condition such as {@code path}
     * @param value the required value
     * @return the rule
     */
    public Rule on(String condition, Object value) {
        Map<String, Object> on = new LinkedHashMap<>();
        if (json.get("on") instanceof Map<?, ?> before) before.forEach((key, member) -> on.put(String.valueOf(key), member));
        on.put(condition, value);
        return with("on", on);
    }

    /**
     * Only the match with this number.
     *
     * @param number 1 for the first
     * @return the rule
     */
    public Rule nth(int number) {
        return with("nth", number);
    }

    /**
     * Every nth match.
     *
     * @param number at least 1
     * @return the rule
     */
    public Rule every(int number) {
        return with("every", number);
    }

    /**
     * Only the first matches.
     *
     * @param number at least 1
     * @return the rule
     */
    public Rule first(int number) {
        return with("first", number);
    }

    /**
     * All matches but the first.
     *
     * @param number at least 1
     * @return the rule
     */
    public Rule skip(int number) {
        return with("skip", number);
    }

    /**
     * At most that many times in total.
     *
     * @param number at least 1
     * @return the rule
     */
    public Rule times(int number) {
        return with("times", number);
    }

    /**
     * Each match with that probability, decided by the seed, the rule and the match's number.
     *
     * @param probability from 0 to 1
     * @return the rule
     */
    public Rule probability(double probability) {
        return with("probability", probability);
    }

    /**
     * Removes the rule automatically after this real time.
     *
     * @param ttl such as five minutes
     * @return the rule
     */
    public Rule ttl(Duration ttl) {
        return with("ttl", Durations.text(ttl));
    }

    private Rule with(String key, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(json);
        changed.put(key, value);
        return new Rule(changed);
    }

    /**
     * The rule as the admin API has it.
     *
     * @return the members of its JSON object
     */
    public Map<String, Object> json() {
        return Collections.unmodifiableMap(json);
    }

    @Override
    public String toString() {
        return JsonText.of(json);
    }
}
