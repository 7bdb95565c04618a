package counterfoil;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The server of a test run, for the extensions of test frameworks: each test gets a session that is named and labelled after it, and each
 * message names the test and what to do.
 */
public final class TestServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("counterfoil");
    private static final Duration GRACE = Duration.ofSeconds(1);
    /** The number of requests that a failure shows. */
    private static final int SHOWN = 20;
    private static final String WAIT = "\nWait for the app's requests before the test ends (join its threads), or end those that a fault holds with"
        + " session.faults().release().";

    private final Counterfoil server;
    /** The test during which the server was found to have ended; null while it runs. */
    private String endedIn;

    private TestServer(Counterfoil server) {
        this.server = server;
    }

    /**
     * The server of the property {@code counterfoil.admin} or of COUNTERFOIL_ADMIN; without them one is started, with the further arguments of
     * the property {@code counterfoil.arguments}.
     *
     * @param test the test that needs it
     * @return the server
     */
    public static TestServer begin(String test) {
        String admin = ServerOptions.setting("counterfoil.admin", "COUNTERFOIL_ADMIN", "");
        try {
            if (admin.isEmpty()) return new TestServer(new ServerOptions().arguments(arguments()).start());
            TestServer there = new TestServer(
                Counterfoil.connect(admin, ServerOptions.setting("counterfoil.adminToken", "COUNTERFOIL_ADMIN_TOKEN", "")));
            there.server.version();
            return there;
        } catch (CounterfoilException error) {
            throw CounterfoilException.local(test, "No Counterfoil server", error.getMessage() + "\n" + wayOut(admin, error), error);
        }
    }

    /** The words of the property for further arguments of {@code counterfoil serve}. */
    private static String[] arguments() {
        String words = System.getProperty("counterfoil.arguments", "").strip();
        return words.isEmpty() ? new String[0] : words.split("\\s+");
    }

    private static String wayOut(String admin, CounterfoilException error) {
        if (error.title().equals(ServerProcess.NOT_READY)) {
            return "Correct what the program's output lists. Tests find the banks in the folder Stubs where they run, in the folder that"
                + " COUNTERFOIL_STUBS or the property counterfoil.stubs names, or beside an installed program.";
        }
        if (error.title().equals(Calls.NO_ADDRESS) || error.title().equals(Calls.NO_TOKEN)) {
            return "Correct the address in COUNTERFOIL_ADMIN or the property counterfoil.admin, or the token in COUNTERFOIL_ADMIN_TOKEN or"
                + " counterfoil.adminToken.";
        }
        if (error.status() != 0) return "COUNTERFOIL_ADMIN_TOKEN, or the property counterfoil.adminToken, must contain the server's admin token.";
        if (!admin.isEmpty()) return "Start a server at the address in COUNTERFOIL_ADMIN, or unset it: then the run starts its own.";
        return "Put the program `counterfoil` on the path, or its path in COUNTERFOIL or the property counterfoil.program, or the admin address"
            + " of a running server in COUNTERFOIL_ADMIN. docs/packaging.md shows how to install or download it.";
    }

    /**
     * The server itself.
     *
     * @return the server
     */
    public Counterfoil server() {
        return server;
    }

    /**
     * Makes the session of a test.
     *
     * @param test the test, such as {@code app.PaymentTest.paysOnce}
     * @param options its bank and settings; by default it is named and labelled after the test
     * @param suites the suites that will check it; an unknown one is rejected here, before the test runs
     * @return the session
     */
    public Session open(String test, NewSession options, String... suites) {
        return named(test, () -> {
            NewSession whole = options.forTest(test);
            Session session;
            try {
                session = server.newSession(whole);
            } catch (CounterfoilException error) {
                if (error.status() != 409) throw error;
                Object taken = whole.json().get("name");
                String other = NewSession.nameOf(test + " " + UUID.randomUUID());
                LOG.log(System.Logger.Level.WARNING, test + ": the server at " + server.admin() + " already has the session " + taken
                    + ": another run uses this server, or was killed. This test uses " + other + "; to remove the other, run `counterfoil"
                    + " session rm " + taken + "`.");
                session = server.newSession(whole.name(other));
            }
            try {
                if (suites.length > 0) session.verdict(suites);
            } catch (CounterfoilException error) {
                session.close();
                throw error;
            }
            return session;
        });
    }

    /**
     * Ends the session of a test that has passed: checks its requests if suites are named, warns of requests in progress, removes it.
     *
     * @param test the test
     * @param session its session
     * @param limit the longest wait for requests in progress, if suites are named
     * @param isSequential whether the app sends one request at a time
     * @param suites the suites that check it; none for no check
     */
    public void close(String test, Session session, Duration limit, boolean isSequential, String... suites) {
        named(test, () -> {
            try (session) {
                String running = running(session, suites.length > 0 ? limit : GRACE);
                if (suites.length > 0) check(test, session, running, isSequential, suites);
                else if (!running.isEmpty()) LOG.log(System.Logger.Level.WARNING, test + running + WAIT);
            } catch (CounterfoilException error) {
                // A test may have removed its session itself.
                if (error.status() != 404 || suites.length > 0) throw error;
            }
            return null;
        });
    }

    /**
     * Ends the session of a test that has failed: prints its last requests on the standard error, and removes it. Throws, naming the test, if
     * the server has ended: what the test reports may be no more than a consequence.
     *
     * @param test the test
     * @param session its session
     */
    public void fail(String test, Session session) {
        named(test, () -> {
            try (session) {
                System.err.println(test + " failed; " + session + ", seed " + Long.toUnsignedString(session.seed()) + "; "
                    + session.journal().lines(SHOWN));
            } catch (CounterfoilException error) {
                // A test may have removed its session itself.
                if (error.status() != 404) throw error;
            }
            return null;
        });
    }

    private static void check(String test, Session session, String running, boolean isSequential, String... suites) {
        if (!running.isEmpty()) throw new AssertionError(test + running + "\nIts requests cannot be checked." + WAIT);
        try {
            if (isSequential) session.expectSequential(suites);
            else session.expect(suites);
        } catch (AssertionError error) {
            // With the first error as its cause, a report would show the same text twice.
            AssertionError named = new AssertionError(test + ": " + error.getMessage());
            named.setStackTrace(error.getStackTrace());
            throw named;
        }
    }

    /** The requests that are in progress still after that time, in words; empty if none is. */
    private static String running(Session session, Duration limit) {
        try {
            session.journal().settled(limit);
            return "";
        } catch (CounterfoilException error) {
            if (!error.title().equals(Journal.IN_PROGRESS)) throw error;
        }
        List<Exchange> running = new ArrayList<>(session.journal().last(100));
        running.removeIf(Exchange::ended);
        return running.isEmpty() ? "" : running.stream().map(exchange -> "\n  " + exchange).collect(
            Collectors.joining("", " ended while " + (running.size() == 1 ? "one request was" : running.size() + " requests were") + " in progress:", ""));
    }

    /** Names the test in an error of the admin API, with what to do. */
    private <T> T named(String test, Supplier<T> work) {
        try {
            return work.get();
        } catch (CounterfoilException error) {
            if (error.status() == 0) throw CounterfoilException.local(test, "No response", endOf(test, error), error);
            throw new CounterfoilException(test + ": " + error.call(), error.status(), error.title(), error.detail(), error.errors(), error);
        }
    }

    private synchronized String endOf(String test, CounterfoilException error) {
        String how = server.ended(GRACE).orElse("");
        if (how.isEmpty() && server.isOwn()) {
            return error.getMessage() + "\nThe server of this run is still running, but does not respond: check whether the machine is overloaded.";
        }
        if (how.isEmpty()) return error.getMessage() + "\nCheck that the server at COUNTERFOIL_ADMIN is running, then run the tests again.";
        if (endedIn == null) endedIn = test;
        String when = endedIn.equals(test) ? "this test" : endedIn;
        return "the server of this run ended during " + when + ", " + how + "\nEvery later test with a bank fails. Run them again; if nothing"
            + " killed the server, report it.";
    }

    /** Ends the server, if it was started here. */
    @Override
    public void close() {
        server.close();
    }
}
