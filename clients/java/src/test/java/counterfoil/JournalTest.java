package counterfoil;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import counterfoil.junit.WithBank;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** The journal is read and waited for, and its verdict is the judge's. */
@WithBank(value = "counterfoil", clock = "2026-01-12T09:15:00Z")
final class JournalTest {
    private static App app(Session session) {
        return new App(session.baseUrl(), session.tokens().issue("ava").text());
    }

    @Test
    void anExchangeHasWhatWasSentAndAnswered(Session session) throws Exception {
        app(session).pay("10.00");
        session.journal().settled();

        Exchange payment = session.journal().entries().get(0);

        assertEquals(List.of(1L, "POST", "/v1/payments", "payments", List.of("pay"), "ava", "token#1", 201),
            List.of(payment.seq(), payment.method(), payment.path(), payment.operation(), payment.roles(), payment.customer(),
                payment.token(), payment.status()));
        assertTrue(payment.committed() && payment.ended() && !payment.replayed());
        assertTrue(payment.requestBody().contains("payee-lark") && payment.responseBody().contains("accepted"));
        assertEquals("Bearer token#1", payment.requestHeader("AUTHORIZATION").orElseThrow());
        assertEquals("application/json", payment.responseHeader("content-type").orElseThrow());
        assertEquals("#1 POST /v1/payments → 201, token#1, key " + payment.key(), payment.toString());
        assertTrue(session.journal().exchange(1).json().containsKey("curl"));
        assertTrue(session.journal().har().contains("\"creator\""));
    }

    @Test
    void exchangesAreSelectedAndForgotten(Session session) throws Exception {
        App app = app(session);
        app.accounts();
        app.pay("10.00");
        new App(session.baseUrl().resolve(session.baseUrl().getPath() + "/nowhere"), null).accounts();

        assertEquals(List.of(2L, 3L), session.journal().last(2).stream().map(Exchange::seq).toList());
        assertEquals(1, session.journal().entries(Map.of("operation", "payments")).size());
        assertEquals(List.of(3L), session.journal().unmatched().stream().map(Exchange::seq).toList());
        session.journal().clear();
        assertEquals(List.of(), session.journal().entries());
        assertEquals("the bank received no request", session.journal().lines(5));
    }

    @Test
    void waitForExchangeWaitsForOneThatComesLater(Session session) throws Exception {
        App app = app(session);
        app.accounts();
        CompletableFuture<Exchange> waited = CompletableFuture.supplyAsync(
            () -> session.journal().waitForExchange(exchange -> exchange.roles().contains("pay") && exchange.ended()));

        app.accounts();
        assertFalse(waited.isDone());
        app.pay("10.00");

        assertEquals(201, waited.get(120, TimeUnit.SECONDS).status());
    }

    @Test
    void waitForExchangeSeesThousandsAndThoseAfterAClear(Session session) throws Exception {
        App app = app(session);
        for (int request = 0; request < 520; request++) app.accounts();

        assertEquals(515, session.journal().waitForExchange(exchange -> exchange.seq() == 515).seq());
        session.journal().clear();
        app.accounts();
        assertEquals(521, session.journal().waitForExchange(exchange -> true).seq());
    }

    @Test
    void waitForExchangeEndsInTimeAndShowsTheJournal(Session session) throws Exception {
        app(session).accounts();

        CounterfoilException error = assertThrows(
            CounterfoilException.class,
            () -> session.journal().waitForExchange(exchange -> exchange.roles().contains("pay"), Duration.ofMillis(100)));

        assertEquals("No matching request", error.title());
        assertTrue(error.detail().matches("(?s)found none after 100ms, expected one; the end of the journal:\n  #1 GET /v1/accounts → .*"), error.detail());
    }

    @Test
    void theLinesNameTheOperationNearestToAnUnmatchedRequest(Session session) throws Exception {
        HttpURLConnection request = (HttpURLConnection) URI.create(session.baseUrl() + "/v1/acounts").toURL().openConnection();
        assertEquals(404, request.getResponseCode());
        session.journal().settled();

        assertEquals(
            "the end of the journal:\n  #1 GET /v1/acounts → 404"
                + "\n  #1 matched no operation of the bank; the nearest is GET /v1/accounts: path: found `acounts`, expected `accounts`",
            session.journal().lines(20));
    }

    @Test
    void aFaultShowsInItsExchange(Session session) {
        String rule = session.faults().set(Rule.of("reset").role("accounts"));

        assertThrows(IOException.class, app(session)::accounts);

        // An HTTP client may have asked again by itself: the first exchange is meant.
        Exchange exchange = session.journal().waitForExchange(Exchange::ended);
        assertEquals(new Exchange.Fault(rule, "reset", true), exchange.fault());
        assertEquals("#1 GET /v1/accounts → no response, token#1, reset by " + rule, exchange.toString());
    }

    @Test
    void theJudgeFindsWhatWasBroken(Session session) throws Exception {
        App app = app(session);
        app.accounts();
        session.tokens().revokeAll();

        // On one connection, so that the second request was surely sent after the first response.
        for (int request = 0; request < 2; request++) assertEquals(401, app.accountsWithoutCare());

        AssertionError broken = assertThrows(AssertionError.class, () -> session.expect("auth"));
        assertTrue(
            broken.getMessage().matches(
                "(?s)found rules broken .* in 3 requests, .*\n  fail auth.token-cleared-on-rejection: Exchange 3 \\(GET /v1/accounts\\) sent token#1"
                    + " again .*\n    why: .*\n +[0-9.]+ ms  #3 GET /v1/accounts token#1 → 401.*"),
            broken.getMessage());
        assertThrows(AssertionError.class, () -> session.expectSequential("auth"), "by their order alone, too");
        List<String> failed = session.verdict("auth").rules(Verdict.Outcome.FAIL).stream().map(Verdict.Rule::id).toList();
        assertEquals(List.of("auth.token-cleared-on-rejection"), failed);
    }

    @Test
    void aRuleThatTheJournalCannotDecideIsAWarning(Session session) throws Exception {
        session.faults().set(Rule.of("dialect", Map.of("name", "rate-limited", "retry_after", 600)).role("atms").times(1));
        App app = app(session);
        // The second request asks for something else: the user may have sent it before the time is over.
        app.atms(1);
        session.journal().waitForExchange(Exchange::ended);
        app.atms(2);
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                warnings.add(record.getLevel() + " " + record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("counterfoil");
        log.addHandler(handler);
        try {
            session.expect("retry");
        } finally {
            log.removeHandler(handler);
        }

        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(
            warnings.get(0).matches("WARNING retry.after-429-seconds is inconclusive: exchange 2 .*; to decide it, [a-z]+ .*"),
            warnings.toString());
    }

    @Test
    void theJudgeIsContentOnlyIfSomethingHappened(Session session) throws Exception {
        AssertionError silent = assertThrows(AssertionError.class, session::expect);
        assertTrue(silent.getMessage().contains("in 0 requests"), silent.getMessage());

        app(session).accounts();

        assertEquals(1, session.expect("auth").exchanges());
        assertTrue(session.verdict().rules().size() > session.verdict("auth").rules().size());
        AssertionError unpaid = assertThrows(AssertionError.class, () -> session.expect("auth", "pay"));
        assertTrue(unpaid.getMessage().contains("no rule of pay was exercised"), unpaid.getMessage());
        assertEquals(400, assertThrows(CounterfoilException.class, () -> session.verdict("nope")).status());
    }
}
