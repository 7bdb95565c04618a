package counterfoil.junit4;

import counterfoil.CounterfoilException;
import counterfoil.NewSession;
import counterfoil.Session;
import counterfoil.TestServer;
import java.net.URI;
import java.time.Duration;
import org.junit.AssumptionViolatedException;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Gives each test a session of a bank, and removes it afterwards. It is named and labelled after the test. If the test fails, the journal's
 * last exchanges are printed on the standard error.
 *
 * <pre>{@code
 * @Rule public final BankRule bank = new BankRule("counterfoil").judged("pay");
 * }</pre>
 *
 * <p>The server is that of the property {@code counterfoil.admin}, or of COUNTERFOIL_ADMIN; without them one is started for the whole run,
 * which ends with the program.
 */
public final class BankRule implements TestRule {
    /** The server of the whole run. */
    private static TestServer shared;

    private final NewSession options;
    private String[] suites = {};
    private boolean isSequential;
    private Duration limit = Duration.ofSeconds(10);
    private Session session;

    /**
     * A session of that bank.
     *
     * @param bank such as {@code counterfoil}
     */
    public BankRule(String bank) {
        this(new NewSession(bank));
    }

    /**
     * A session with settings.
     *
     * @param options the bank, seed, clock and so on
     */
    public BankRule(NewSession options) {
        this.options = options;
    }

    /**
     * Checks the requests of each test that has passed: the test fails with the verdict if the app broke a rule of these suites, or if no
     * rule of one was exercised.
     *
     * @param suites of auth, pay, retry, wire, invariant and webhooks
     * @return this
     */
    public BankRule judged(String... suites) {
        if (suites.length == 0) throw new IllegalArgumentException("found judged() without a suite, expected such as judged(\"auth\", \"pay\")");
        this.suites = suites.clone();
        return this;
    }

    /**
     * States that the app sends one request at a time, each after it has read the response to the one before: the order of requests then
     * decides rules that are inconclusive otherwise.
     *
     * @return this
     */
    public BankRule sequential() {
        isSequential = true;
        return this;
    }

    /**
     * Sets how long a judged test waits for requests that are in progress at its end; 10 seconds by default.
     *
     * @param limit the longest wait
     * @return this
     */
    public BankRule within(Duration limit) {
        this.limit = limit;
        return this;
    }

    /**
     * The session of the test that runs.
     *
     * @return the session
     */
    public Session session() {
        if (session == null) {
            throw new IllegalStateException(
                "found no test that runs, expected BankRule in a public field with @Rule, and session() in a test, @Before or @After");
        }
        return session;
    }

    /**
     * The base URL for the app under test.
     *
     * @return the session's address
     */
    public URI baseUrl() {
        return session().baseUrl();
    }

    @Override
    public Statement apply(Statement base, Description description) {
        String method = description.getMethodName();
        String test = description.getClassName() + (method == null ? "" : "." + method);
        return new Statement() {
            @Override
            public void evaluate() throws Throwable {
                TestServer server = server(test);
                session = server.open(test, options, suites);
                try {
                    run(base, test, server);
                    server.close(test, session, limit, isSequential, suites);
                } finally {
                    session = null;
                }
            }
        };
    }

    /** Runs the test; if it fails, shows its requests and removes its session. */
    private void run(Statement base, String test, TestServer server) throws Throwable {
        try {
            base.evaluate();
        } catch (Throwable failure) {
            try {
                if (failure instanceof AssumptionViolatedException) session.close();
                else server.fail(test, session);
            } catch (CounterfoilException error) {
                failure.addSuppressed(error);
            }
            throw failure;
        }
    }

    private static synchronized TestServer server(String test) {
        if (shared == null) shared = TestServer.begin(test);
        return shared;
    }
}
