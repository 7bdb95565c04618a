package counterfoil.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class, or one test, a session of that bank as a parameter of type {@link counterfoil.Session}. An annotation
 * on a method takes precedence over one on its class.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(CounterfoilExtension.class)
public @interface WithBank {
    /**
     * The bank.
     *
     * @return its name
     */
    String value();

    /**
     * The instant at which the session clock is frozen.
     *
     * @return RFC 3339, such as {@code 2026-01-12T09:15:00Z}; empty for a clock that runs from now on
     */
    String clock() default "";

    /**
     * The seed for all random values.
     *
     * @return an unsigned number, in digits; empty for the server's
     */
    String seed() default "";

    /**
     * The outage that the session begins with.
     *
     * @return such as {@code brownout}; empty for none
     */
    String outage() default "";

    /**
     * The suites that check the requests of each test that has passed: the test fails with the verdict if the app broke a rule of these, or if
     * no rule of one was exercised.
     *
     * @return of auth, pay, retry, wire, invariant and webhooks; none for no check
     */
    String[] judged() default {};

    /**
     * Whether the app sends one request at a time, each after it has read the response to the one before: the order of requests then decides
     * rules that are inconclusive otherwise.
     *
     * @return true if it does
     */
    boolean sequential() default false;
}
