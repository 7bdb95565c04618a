package counterfoil;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import counterfoil.junit.CounterfoilExtension;
import counterfoil.junit.WithBank;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The extension gives each test a session of its own, removes it, and shows the journal of a failure. */
final class ExtensionTest {
    private static final List<Session> seen = new ArrayList<>();

    /** The standard error of one run of a class, and its result. */
    private record Run(TestExecutionSummary summary, String output) {
        static Run of(Class<?> tests) {
            seen.clear();
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            PrintStream errors = System.err;
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            System.setErr(new PrintStream(output, true, StandardCharsets.UTF_8));
            try {
                LauncherFactory.create().execute(
                    LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build(), listener);
            } finally {
                System.setErr(errors);
            }
            return new Run(listener.getSummary(), output.toString(StandardCharsets.UTF_8));
        }

        /** The message of the test with that name, which failed. */
        String failure(String test) {
            return summary.getFailures().stream().filter(failure -> failure.getTestIdentifier().getDisplayName().startsWith(test + "("))
                .map(failure -> failure.getException().getMessage()).findFirst().orElse("it did not fail");
        }
    }

    @WithBank("counterfoil")
    static final class TwoTests {
        private Session before;

        @BeforeEach
        void keep(Session session) {
            before = session;
        }

        @Test
        void one(Session session) {
            assertSame(before, session);
            seen.add(session);
        }

        @Test
        @WithBank(value = "roundup", outage = "brownout")
        void two(Session session) {
            assertEquals(List.of("roundup", "brownout"), List.of(session.bank(), session.state().outage()));
            seen.add(session);
        }

        @AfterEach
        void isThereStill(Session session) {
            session.state();
        }
    }

    @Test
    void eachTestHasASessionOfItsOwnThatIsRemoved() {
        try (Counterfoil server = Counterfoil.start("counterfoil", "roundup")) {
            Run run = steering(server, TwoTests.class);

            assertEquals(2, run.summary().getTestsSucceededCount(), run.output());
            assertEquals("", run.output());
            assertEquals(2, seen.size());
            assertEquals(2, server.sessions().size(), "the default sessions alone");
            assertFalse(seen.get(0).id().equals(seen.get(1).id()));
        }
    }

    @WithBank(value = "counterfoil", seed = "7")
    static final class Failing {
        @Test
        void fails(Session session) throws Exception {
            seen.add(session);
            new App(session.baseUrl(), session.tokens().issue().text()).accounts();
            session.journal().settled();
            fail("on purpose");
        }
    }

    @Test
    void aFailureShowsTheLastExchanges() {
        try (Counterfoil server = Counterfoil.start("counterfoil")) {
            Run run = steering(server, Failing.class);

            assertEquals(1, run.summary().getTestsFailedCount());
            Session session = seen.get(0);
            assertEquals(
                "counterfoil.ExtensionTest$Failing.fails failed; session " + session.id() + " of counterfoil at " + session.baseUrl()
                    + ", seed 7; the end of the journal:\n  #1 GET /v1/accounts → 200, token#1\n",
                run.output());
            assertEquals(1, server.sessions().size(), "the default session alone");
        }
    }

    @WithBank(value = "counterfoil", judged = "auth")
    static final class Assuming {
        @Test
        void assumes(Session session) {
            assumeTrue(session.id().isEmpty());
        }
    }

    @Test
    void aTestWhoseAssumptionDoesNotHoldIsNeitherJudgedNorShown() {
        try (Counterfoil server = Counterfoil.start("counterfoil")) {
            Run run = steering(server, Assuming.class);

            assertEquals(1, run.summary().getTestsAbortedCount());
            assertEquals("", run.output());
            assertEquals(1, server.sessions().size(), "the default session alone");
        }
    }

    @WithBank("counterfoil")
    static final class TooEarly {
        @BeforeAll
        static void wanted(Session session) {
            seen.add(session);
        }

        @Test
        void never() {}
    }

    @Test
    void aSessionForAWholeClassIsRefused() {
        try (Counterfoil server = Counterfoil.start("counterfoil")) {
            Run run = steering(server, TooEarly.class);

            assertEquals(List.of(), seen);
            String message = run.summary().getFailures().get(0).getException().getMessage();
            assertTrue(message.contains("a session lives for one test"), message);
        }
    }

    static final class OwnSessions {
        static Counterfoil server;

        @RegisterExtension
        static final CounterfoilExtension sessions = CounterfoilExtension.each(
            () -> server.newSession(new NewSession("counterfoil").seed(9)));

        @Test
        void one(Session session) {
            assertEquals(9, session.seed());
            seen.add(session);
        }
    }

    @Test
    void anExtensionInAFieldMakesItsOwnSessions() {
        try (Counterfoil server = Counterfoil.start("counterfoil")) {
            OwnSessions.server = server;
            Run run = Run.of(OwnSessions.class);

            assertEquals(1, run.summary().getTestsSucceededCount());
            assertEquals(1, server.sessions().size(), "the default session alone");
        }
    }

    @Test
    void withoutAServerOneIsStartedForTheRunAndEnded() {
        Run run = Run.of(Failing.class);

        assertEquals(1, run.summary().getTestsFailedCount());
        assertTrue(run.output().contains("#1 GET /v1/accounts"), run.output());
        assertEquals(0, assertThrows(CounterfoilException.class, seen.get(0)::state).status());
    }

    @WithBank(value = "counterfoil", judged = "auth", sequential = true)
    static final class Judged {
        @Test
        void forgets(Session session) throws Exception {
            assertEquals(List.of(200, 401), asks(session, 1));
        }

        @Test
        void sendsAgain(Session session) throws Exception {
            assertEquals(List.of(200, 401, 401), asks(session, 2));
        }

        @Test
        void asksNothing(Session session) {}

        @Test
        void hasNoSession() {}

        @Test
        @WithBank(value = "counterfoil", judged = "auht")
        void typo(Session session) {
            seen.add(session);
        }

        /** The statuses of a request, and of further ones after the token was revoked. */
        private static List<Integer> asks(Session session, int times) throws Exception {
            App app = new App(session.baseUrl(), session.tokens().issue().text());
            List<Integer> statuses = new ArrayList<>(List.of(app.accountsWithoutCare()));
            session.tokens().revokeAll();
            for (int time = 0; time < times; time++) statuses.add(app.accountsWithoutCare());
            return statuses;
        }
    }

    @Test
    void judgedTestsFailWithTheVerdict() {
        try (Counterfoil server = Counterfoil.start("counterfoil")) {
            Run run = steering(server, Judged.class);

            assertEquals(1, run.summary().getTestsSucceededCount(), run.output());
            assertTrue(run.failure("sendsAgain").contains("auth.token-cleared-on-rejection"), run.failure("sendsAgain"));
            assertTrue(run.failure("asksNothing").contains("no rule of auth was exercised"), run.failure("asksNothing"));
            assertTrue(run.failure("hasNoSession").contains("found `judged` without a session"), run.failure("hasNoSession"));
            assertTrue(run.failure("typo").contains("found the suite `auht`, expected auth, pay,"), run.failure("typo"));
            assertEquals(List.of(), seen, "a test with an unknown suite does not run");
            assertEquals(1, server.sessions().size(), "the default session alone");
        }
    }

    @WithBank("counterfoil")
    static final class Unfinished {
        @Test
        @WithBank(value = "counterfoil", judged = "auth")
        void held(Session session) throws Exception {
            hold(session);
            session.faults().release();
        }

        @Test
        void heldForever(Session session) throws Exception {
            hold(session);
        }

        /** Leaves one request in progress that no rule checks, and one that a rule checks. */
        private static void hold(Session session) throws Exception {
            App app = new App(session.baseUrl(), session.tokens().issue().text());
            assertEquals(200, app.accounts());
            session.faults().set(Rule.of("delay", Map.of("at_point", "head", "until", "released")).role("accounts"));
            Thread asking = new Thread(() -> {
                try {
                    app.accounts();
                } catch (Exception error) {
                    // The session is removed while it waits.
                }
            });
            asking.setDaemon(true);
            asking.start();
            session.journal().waitForExchange(exchange -> !exchange.ended());
        }
    }

    @Test
    void requestsUnderWayAreWaitedForAndNamed() {
        try (Counterfoil server = Counterfoil.start("counterfoil")) {
            Run run = steering(server, Unfinished.class);

            assertEquals(2, run.summary().getTestsSucceededCount(), run.output());
            assertTrue(run.output().contains("ExtensionTest$Unfinished.heldForever ended while one request was in progress:"), run.output());
            assertFalse(run.output().contains("Unfinished.held ended"), run.output());
        }
    }

    @WithBank("counterfoil")
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static final class Dies {
        @Test
        void a(Session session) throws Exception {
            ProcessHandle server = ProcessHandle.current().children().findFirst().orElseThrow();
            server.destroyForcibly();
            server.onExit().get();
        }

        @Test
        void b(Session session) {}
    }

    @Test
    void aServerThatDiesIsNamedWithTheTest() {
        Run run = Run.of(Dies.class);

        String ended = "No response: the server of this run ended during ";
        assertTrue(run.failure("a").contains("ExtensionTest$Dies.a: " + ended + "this test, with status 137"), run.failure("a"));
        assertTrue(run.failure("b").contains("ExtensionTest$Dies.b: " + ended + "counterfoil.ExtensionTest$Dies.a, with status 137"), run.failure("b"));
    }

    @Test
    void withoutTheProgramTheTestIsNamedWithWhatToDo() {
        System.setProperty("counterfoil.program", "/no/counterfoil");
        try {
            String failure = Run.of(Failing.class).failure("fails");
            assertTrue(failure.contains("ExtensionTest$Failing.fails: No Counterfoil server: "), failure);
            assertTrue(failure.contains("Put the program `counterfoil` on the path, or its path in COUNTERFOIL"), failure);
        } finally {
            System.clearProperty("counterfoil.program");
        }
    }

    @WithBank("counterfoil")
    static final class OfNode {
        @Test
        void made(Session session) {
            seen.add(session);
        }
    }

    @Test
    void theServerOfTheRunHasTheArgumentsOfTheProperty() {
        System.setProperty("counterfoil.arguments", " --node  n7 ");
        try {
            Run run = Run.of(OfNode.class);
            assertEquals(1, run.summary().getTestsSucceededCount(), run.output());
            assertTrue(seen.get(0).id().startsWith("n7-"), seen.get(0).id());
        } finally {
            System.clearProperty("counterfoil.arguments");
        }
    }

    private static Run steering(Counterfoil server, Class<?> tests) {
        System.setProperty("counterfoil.admin", server.admin().toString());
        try {
            return Run.of(tests);
        } finally {
            System.clearProperty("counterfoil.admin");
        }
    }
}
