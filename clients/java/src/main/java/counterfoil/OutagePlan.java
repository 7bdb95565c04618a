package counterfoil;

/**
 * An outage that can be started by name.
 *
 * @param name such as {@code brownout}
 * @param about a description of the outage
 */
public record OutagePlan(String name, String about) {
    static OutagePlan of(Fields plan) {
        return new OutagePlan(plan.text("name"), plan.text("about"));
    }
}
