package counterfoil;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The verdict on a client, from a session's request journal alone.
 *
 * @param exchanges the number of exchanges that it is based on
 * @param underWay how many of them have not ended: it is final once there are none
 * @param dropped the number of requests that the journal has dropped
 * @param rules the outcome of each rule
 */
public record Verdict(long exchanges, long underWay, long dropped, List<Rule> rules) {
    private static final System.Logger LOG = System.getLogger("counterfoil");

    /** The outcome of a rule. */
    public enum Outcome {
        /** The trigger occurred, and the requirement was met as far as the journal shows. */
        PASS,
        /** The requirement was violated. */
        FAIL,
        /** The trigger occurred, but the journal cannot show whether the requirement was met. */
        INCONCLUSIVE,
        /** The trigger never occurred. */
        NOT_EXERCISED;

        static Outcome of(Fields rule) {
            String text = rule.text("verdict");
            for (Outcome outcome : values()) if (outcome.text().equals(text)) return outcome;
            throw CounterfoilException.local(rule.what(), "Unexpected response", "found the verdict " + text + ", expected pass or fail", null);
        }

        private String text() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * One rule with its outcome.
     *
     * @param id such as {@code auth.no-empty-bearer}
     * @param why the rule in a sentence, with its source
     * @param binding whether a client must comply with it, or only should
     * @param met the number of times that its trigger occurred
     * @param outcome its outcome
     * @param json the rule as the admin API has it, with {@code violations} and {@code cannot_tell}
     */
    public record Rule(String id, String why, boolean binding, long met, Outcome outcome, Map<String, Object> json) {
        static Rule of(Fields rule) {
            return new Rule(
                rule.text("id"), rule.text("why"), rule.text("level").equals("must"), rule.number("met"), Outcome.of(rule), rule.map());
        }

        private String doubt() {
            if (json.get("cannot_tell") instanceof List<?> doubts && !doubts.isEmpty() && doubts.get(0) instanceof Map<?, ?> doubt) {
                return id + " is inconclusive: " + doubt.get("seen") + "; " + doubt.get("reason") + "; to decide it, " + doubt.get("do");
            }
            return id + " is inconclusive: the journal dropped entries";
        }

        /** Rules of every suite show invariants. */
        private boolean isOf(String suite) {
            return suite.equals("invariant") || id.startsWith(suite + ".");
        }

        /** The outcome and the rule; of a broken rule what broke it, the rule, and the requests that show it. */
        @Override
        public String toString() {
            String start = outcome.text() + " " + id + ": ";
            if (outcome != Outcome.FAIL) return start + why;
            List<String> lines = new ArrayList<>();
            if (json.get("violations") instanceof List<?> violations) {
                for (Object violation : violations) if (violation instanceof Map<?, ?> broken) lines.add(String.valueOf(broken.get("headline")));
            }
            lines.add("why: " + why);
            if (json.get("timeline") instanceof List<?> timeline) for (Object line : timeline) lines.add(String.valueOf(line));
            return start + String.join("\n    ", lines);
        }
    }

    static Verdict of(Fields verdict) {
        return new Verdict(
            verdict.number("exchanges"), verdict.number("under_way"), verdict.number("dropped"), verdict.objects("rules", Rule::of));
    }

    /**
     * The rules with that outcome.
     *
     * @param outcome an outcome
     * @return in the order of the verdict
     */
    public List<Rule> rules(Outcome outcome) {
        return rules.stream().filter(rule -> rule.outcome() == outcome).toList();
    }

    /** Throws an AssertionError unless no binding rule was broken, nothing was dropped, and each suite was exercised. */
    void require(String... suites) {
        List<String> silent = new ArrayList<>();
        for (String suite : suites) if (!isJudged(suite)) silent.add(suite);
        boolean nothing = suites.length == 0 && rules(Outcome.PASS).isEmpty() && rules(Outcome.FAIL).isEmpty();
        boolean broken = rules(Outcome.FAIL).stream().anyMatch(Rule::binding);
        if (!broken && silent.isEmpty() && !nothing && dropped == 0) return;
        StringBuilder text = new StringBuilder("found rules broken or not exercised in " + exchanges + " requests, expected the app to comply with them:");
        for (Rule rule : rules(Outcome.FAIL)) text.append("\n  ").append(rule);
        for (Rule rule : rules(Outcome.INCONCLUSIVE)) text.append("\n  ").append(rule.doubt());
        if (!silent.isEmpty()) text.append("\n  no rule of ").append(String.join(", ", silent)).append(" was exercised");
        if (nothing) text.append("\n  no rule of any suite was exercised");
        if (dropped > 0) text.append("\n  the journal dropped ").append(dropped).append(" requests: without them, no rule can pass");
        throw new AssertionError(text.toString());
    }

    /** Logs a warning for each rule that the journal cannot decide: a verdict without a broken rule does not show them. */
    void warn() {
        for (Rule rule : rules(Outcome.INCONCLUSIVE)) LOG.log(System.Logger.Level.WARNING, rule.doubt());
    }

    private boolean isJudged(String suite) {
        return rules.stream().anyMatch(
            rule -> rule.isOf(suite) && (rule.outcome() == Outcome.PASS || rule.outcome() == Outcome.FAIL));
    }

    /** The number of exchanges, and a line for each rule that was exercised. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("verdict on " + exchanges + " exchanges");
        for (Rule rule : rules) if (rule.outcome() != Outcome.NOT_EXERCISED) text.append("\n  ").append(rule);
        return text.toString();
    }
}
