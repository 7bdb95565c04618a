package counterfoil;

import java.util.List;

/** A session's rules: the faults, and the requests that they affect. */
public final class Faults {
    private final Calls calls;
    private final String path;

    Faults(Calls calls, String path) {
        this.calls = calls;
        this.path = path;
    }

    /**
     * Sets a rule, after those that are set.
     *
     * @param rule the rule
     * @return its name, an opaque text
     */
    public String set(Rule rule) {
        return calls.send("POST", path, rule.json()).text("id");
    }

    /**
     * The rules that are set.
     *
     * @return in the order in which they are tried
     */
    public List<RuleState> list() {
        return calls.get(path).objects("faults", RuleState::of);
    }

    /**
     * The number of held requests and connections.
     *
     * @return the number of exchanges and connections
     */
    public long held() {
        return calls.get(path).number("held");
    }

    /**
     * Removes a rule.
     *
     * @param id its name
     */
    public void remove(String id) {
        calls.act("DELETE", path + "/" + Calls.encoded(id));
    }

    /** Removes all rules. */
    public void clear() {
        calls.act("DELETE", path);
    }

    /**
     * Releases the requests and connections that rules hold.
     *
     * @return the number of exchanges and connections that were released
     */
    public long release() {
        return calls.send("POST", path + "/release", null).number("released");
    }
}
