package counterfoil;

import java.util.Map;

/**
 * A rule that is set.
 *
 * @param id its name, an opaque text such as {@code rule#1}
 * @param matched the number of exchanges that matched its conditions
 * @param fired the number of exchanges to which its fault was applied
 * @param json the rule as the admin API has it, with {@code fault} and {@code on}
 */
public record RuleState(String id, long matched, long fired, Map<String, Object> json) {
    static RuleState of(Fields rule) {
        return new RuleState(rule.text("id"), rule.number("matched"), rule.number("fired"), rule.map());
    }
}
