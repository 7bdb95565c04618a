import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import counterfoil.Counterfoil;
import counterfoil.NewSession;
import counterfoil.Rule;
import counterfoil.Session;
import counterfoil.junit4.BankRule;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.experimental.ParallelComputer;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;

/** Tests for the rule of JUnit 4: {@code java Cases NAME} runs a class, prints its failures, and ends with 1 if there are any. */
final class Cases {
    public static void main(String[] names) throws Exception {
        Class<?> tests = Class.forName("Cases$" + names[0]);
        Result result = names[0].equals("Parallel") ? JUnitCore.runClasses(ParallelComputer.methods(), tests) : JUnitCore.runClasses(tests);
        for (Failure failure : result.getFailures()) {
            System.out.println(failure.getMessage());
            for (Throwable other : failure.getException().getSuppressed()) System.out.println("and " + other.getMessage());
        }
        System.out.println("passed " + (result.getRunCount() - result.getFailureCount()));
        System.exit(result.wasSuccessful() ? 0 : 1);
    }

    /** The app under test: one request; returns its status, or 0 if there was no response. */
    static int ask(URI base, String token, String path) {
        try {
            HttpURLConnection connection = (HttpURLConnection) URI.create(base + path).toURL().openConnection();
            if (token != null) connection.setRequestProperty("Authorization", "Bearer " + token);
            int status = connection.getResponseCode();
            try (var body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                if (body != null) body.readAllBytes();
            }
            return status;
        } catch (IOException error) {
            return 0;
        }
    }

    static int accounts(Session session) {
        return ask(session.baseUrl(), session.tokens().issue().text(), "/v1/accounts");
    }

    public static final class Named {
        static final Set<String> seen = new HashSet<>();
        @org.junit.Rule public final BankRule bank = new BankRule(new NewSession("roundup").seed(9).frozenAt(Instant.parse("2026-01-12T09:15:00Z")));
        Session before;

        @Before public void keep() {
            before = bank.session();
        }

        @Test public void one() {
            check("one");
        }

        @Test public void two() {
            check("two");
        }

        void check(String name) {
            assertTrue(bank.session().id(), bank.session().id().matches("cases-named-" + name + "-[0-9a-f]{8}"));
            assertEquals(Map.of("test", "Cases-Named." + name), bank.session().state().labels());
            assertEquals("roundup", bank.session().bank());
            assertEquals(9, bank.session().seed());
            assertEquals(bank.baseUrl(), before.baseUrl());
            assertTrue(seen.add(bank.session().id()));
        }

        @After public void isThereStill() {
            bank.session().state();
        }
    }

    public static final class Keeps {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("auth").sequential();

        @Test public void test() {
            revoked(bank.session(), 1);
        }
    }

    public static final class Breaks {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("auth").sequential();

        @Test public void test() {
            revoked(bank.session(), 2);
        }
    }

    static void revoked(Session session, int times) {
        String token = session.tokens().issue().text();
        assertEquals(200, ask(session.baseUrl(), token, "/v1/accounts"));
        session.tokens().revokeAll();
        for (int time = 0; time < times; time++) assertEquals(401, ask(session.baseUrl(), token, "/v1/accounts"));
    }

    public static final class Unnamed {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged();

        @Test public void test() {}
    }

    public static final class Silent {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("pay");

        @Test public void test() {}
    }

    public static final class Fails {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("pay");

        @Test public void test() {
            accounts(bank.session());
            bank.session().journal().settled();
            fail("on purpose");
        }
    }

    public static final class Typo {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("auht");

        @Test public void test() {
            System.out.println("it ran");
        }
    }

    static void hold(Session session) {
        session.faults().set(Rule.of("delay", Map.of("at_point", "head", "until", "released")).role("atms"));
        Thread asking = new Thread(() -> ask(session.baseUrl(), null, "/v1/atms"));
        asking.setDaemon(true);
        asking.start();
        session.journal().waitForExchange(exchange -> exchange.path().equals("/v1/atms"));
        assertEquals(200, accounts(session));
    }

    public static final class Held {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("auth").within(Duration.ofMillis(200));

        @Test public void test() {
            hold(bank.session());
        }
    }

    public static final class HeldUnjudged {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil");

        @Test public void test() {
            hold(bank.session());
        }
    }

    public static final class HeldForAWhile {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("auth");

        @Test public void test() {
            Session session = bank.session();
            hold(session);
            new java.util.Timer(true).schedule(new java.util.TimerTask() {
                @Override public void run() {
                    session.faults().release();
                }
            }, 300);
        }
    }

    @org.junit.FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
    public static final class Dies {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil");

        @Test public void a() throws Exception {
            ProcessHandle server = ProcessHandle.current().children().findFirst().orElseThrow();
            server.destroyForcibly();
            server.onExit().get();
        }

        @Test public void b() {}
    }

    @org.junit.FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
    public static final class DiesInATestThatFails {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("auth");

        @Test public void a() throws Exception {
            ProcessHandle server = ProcessHandle.current().children().findFirst().orElseThrow();
            server.destroyForcibly();
            server.onExit().get();
            assertEquals(200, ask(bank.baseUrl(), null, "/v1/atms"));
        }

        @Test public void b() {}
    }

    public static final class Outside {
        final BankRule bank = new BankRule("counterfoil");

        @Test public void test() {
            bank.session();
        }
    }

    public static final class Parallel {
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil").judged("auth");

        @Test public void one() {
            check(1);
        }

        @Test public void two() {
            check(2);
        }

        @Test public void three() {
            check(3);
        }

        @Test public void four() {
            check(4);
        }

        void check(int times) {
            Session session = bank.session();
            String token = session.tokens().issue().text();
            session.faults().set(Rule.of("status", Map.of("status", 503)).role("accounts").times(times));
            for (int time = 0; time < times; time++) assertEquals(503, ask(session.baseUrl(), token, "/v1/accounts"));
            assertEquals(200, ask(session.baseUrl(), token, "/v1/accounts"));
            assertEquals(times + 1, session.journal().entries().size());
        }
    }

    public static final class Taken {
        static Session other;
        @org.junit.Rule public final BankRule bank = new BankRule("counterfoil");

        @BeforeClass public static void take() {
            other = Counterfoil.connect().newSession(new NewSession("roundup").name(NewSession.nameOf("Cases$Taken.test")));
        }

        @Test public void test() {
            assertEquals("counterfoil", bank.session().bank());
        }

        @AfterClass public static void isThereStill() {
            assertEquals("roundup", other.state().bank());
            other.close();
        }
    }
}
