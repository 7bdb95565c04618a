package counterfoil;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import counterfoil.junit.WithBank;
import java.math.BigDecimal;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each group of calls has its effect on the real server. */
@WithBank(value = "counterfoil", clock = "2026-01-12T09:15:00Z", seed = "18446744073709551615")
final class SteeringTest {
    private static final Instant START = Instant.parse("2026-01-12T09:15:00Z");

    private static App app(Session session) {
        return new App(session.baseUrl(), session.tokens().issue("ava").text());
    }

    @Test
    void aServerSaysWhatItServes(Counterfoil server) {
        assertTrue(server.version().matches("[0-9]+\\.[0-9]+\\.[0-9]+.*"), server.version());
        assertTrue(server.bankNames().contains("counterfoil"));
        assertEquals(server.bankNames(), server.banks().stream().map(bank -> bank.get("name")).toList());
        assertTrue(server.faultKinds().stream().anyMatch(kind -> kind.get("kind").equals("lose-reply")));
        assertTrue(server.outages().stream().anyMatch(plan -> plan.name().equals("brownout") && plan.about().contains("slow")));
        assertEquals("brownout", server.outage("brownout").get("name"));
        assertTrue(server.metrics().contains("counterfoil_exchanges_total"));
    }

    @Test
    void aSessionIsMadeFoundAndRemoved(Counterfoil server, Session session) {
        assertEquals("counterfoil", session.bank());
        assertEquals("18446744073709551615", Long.toUnsignedString(session.seed()));
        assertEquals(START, session.state().now());
        assertTrue(server.sessions().stream().anyMatch(state -> state.id().equals(session.id())));
        assertEquals(session.baseUrl(), server.session(session.id()).baseUrl());

        Session other = server.newSession(new NewSession("counterfoil").name("java-other").listen().outage("brownout").runningFrom(START));

        assertEquals("java-other", other.id());
        assertEquals(other.baseUrl().getPort(), other.state().port());
        assertEquals("brownout", other.state().outage());
        assertFalse(other.clock().state().frozen());
        other.close();
        other.close();
        assertEquals(404, assertThrows(CounterfoilException.class, other::state).status());
    }

    @Test
    void aTestNamesItsSession(Counterfoil server) {
        List<String> ids = List.of("[class:PayTest]/[method:twice(EUR)]", "[class:PayTest]/[method:twice(eur)]", "円口座", "x".repeat(300), "a");
        List<String> names = ids.stream().map(NewSession::nameOf).toList();

        assertTrue(names.get(0).matches("class-paytest-method-twice-eur-[0-9a-f]{8}"));
        assertEquals("a", names.get(4));
        assertEquals(5, Set.copyOf(names).size());
        for (String name : names) {
            NewSession options = new NewSession("counterfoil").name(name).labels(Map.of("team", "ios")).timeToLive(Duration.ofMinutes(5));
            try (Session session = server.newSession(options)) {
                assertEquals(name, session.id());
            }
        }
    }

    @Test
    void aSessionIsReachedUnderAnotherAddress(Session session) throws Exception {
        String elsewhere = "http://localhost:" + session.baseUrl().getPort() + "/";

        assertEquals(200, new App(session.baseUrlAt(elsewhere), session.tokens().issue("ava").text()).accounts());
        assertEquals("localhost:" + session.baseUrl().getPort(), session.journal().last(1).get(0).requestHeader("Host").orElseThrow());
    }

    @Test
    void anErrorIsTheServersProblem(Counterfoil server, Session session) {
        CounterfoilException missing = assertThrows(CounterfoilException.class, () -> server.session("no one/?"));
        assertEquals(List.of(404, "Not Found", "there is no session no one/?"), List.of(missing.status(), missing.title(), missing.detail()));

        CounterfoilException stays = assertThrows(CounterfoilException.class, () -> server.session("counterfoil").remove());
        server.session("counterfoil").close();
        assertEquals(409, stays.status());

        Rule twice = Rule.parse("{\"fault\": \"hang\", \"time\": 1, \"onn\": {}}");
        CounterfoilException wrong = assertThrows(CounterfoilException.class, () -> session.faults().set(twice));
        assertEquals(400, wrong.status());
        assertEquals(2, wrong.errors().size());
        assertTrue(wrong.getMessage().startsWith("POST /sessions/" + session.id() + "/faults: 400 Bad Request: "), wrong.getMessage());
        assertTrue(wrong.detail().contains("did you mean `times`?"), wrong.detail());

        CounterfoilException unreachable = assertThrows(CounterfoilException.class, () -> Counterfoil.connect("http://127.0.0.1:1", null).version());
        assertEquals(0, unreachable.status());
        assertEquals("No response", unreachable.title());
        assertThrows(CounterfoilException.class, () -> Counterfoil.connect("127.0.0.1:1", null).version());
        assertThrows(CounterfoilException.class, () -> Counterfoil.connect("no address", null));
    }

    @Test
    void theClockMovesAndTokensExpireByIt(Session session) throws Exception {
        Tokens.Issued token = session.tokens().issue("ava", List.of("accounts"), Duration.ofMinutes(5));
        App app = new App(session.baseUrl(), token.text());
        assertEquals(200, app.accounts());

        Clock.State later = session.clock().advance(Duration.ofMinutes(6));

        assertEquals(new Clock.State(START.plusSeconds(360), true, Duration.ZERO), later);
        assertEquals(401, app.accounts());
        assertEquals(Duration.ofSeconds(-90), session.clock().skew(Duration.ofSeconds(-90)).skew());
        assertEquals(START.plusSeconds(3600), session.clock().set(START.plusSeconds(3600)).now());
        assertFalse(session.clock().run().frozen());
        assertTrue(session.clock().freeze().frozen());
        assertEquals(400, assertThrows(CounterfoilException.class, () -> session.clock().advance(Duration.ofSeconds(-1))).status());
    }

    @Test
    void signInsOnThePageAreDecided(Session session) throws Exception {
        App app = new App(session.baseUrl(), null);
        for (int count = 0; count < 3; count++) assertEquals(200, app.signInPage());
        Authorizations authorizations = session.authorizations();
        assertTrue(authorizations.approve(1, "ben").startsWith("https://web.example/callback?code="));
        assertTrue(authorizations.deny().contains("error=access_denied"));
        authorizations.abandon(2);
        assertEquals(
            List.of("approved", "abandoned", "denied"),
            authorizations.list().stream().map(Authorizations.Authorization::state).toList());
        assertThrows(IllegalStateException.class, authorizations::approve);
    }

    @Test
    void challengesAreDecided() throws Exception {
        try (Counterfoil server = Counterfoil.start("counterfoil"); Session session = server.newSession(new NewSession("counterfoil").challenges("decoupled"))) {
            App app = new App(session.baseUrl(), session.tokens().issue("ava").text());
            assertEquals(403, app.pay("1.00"));
            session.challenges().approve();
            assertEquals(403, app.pay("2.00"));
            session.challenges().deny();
            assertEquals(
                List.of("approved", "denied"), session.challenges().list().stream().map(Challenges.Challenge::state).toList());
            assertThrows(IllegalStateException.class, session.challenges()::approve);
        }
    }

    @Test
    void eventsMoveMoney(Session session) {
        Map<String, Object> arrived = session.happen("payment-in", Map.of("account", "ava-gbp", "amount", "1200.00", "name", "Acme"));
        assertEquals("outside/Acme", arrived.get("from"));
        Map<String, Object> reserved = session.happen("card-authorised", Map.of("account", "ava-gbp", "amount", "20.00"));
        assertEquals("accepted", reserved.get("state"));
        assertEquals("rejected", session.happen("card-reversed", Map.of("payment", (String) reserved.get("id"))).get("state"));
        Map<String, String> salary = Map.of("account", "ava-gbp", "amount", "1.00", "every", "month");
        assertEquals("month", session.schedule("payment-in", "3d", salary).get("every"));
        Map<String, String> unknown = Map.of("payment", "unknown");
        assertEquals(404, assertThrows(CounterfoilException.class, () -> session.happen("payment-returns", unknown)).status());
    }

    @Test
    void webhooksAreRegisteredAndBroken(Session session) {
        Map<String, Object> made = session.addWebhook("http://127.0.0.1:9/hook");
        String id = (String) made.get("id");
        session.breakWebhook(id, "forged", 2);
        assertEquals(List.of("forged", "forged"), session.webhook(id).get("faults"));
        assertEquals(422, assertThrows(CounterfoilException.class, () -> session.addWebhook("http://192.0.2.1/hook")).status());
        Map<String, Object> signed = session.addWebhook("http://127.0.0.1:9/hook", List.of("payment.settled"), "body");
        assertEquals(List.of("payment.settled"), signed.get("events"));
        assertEquals("body", signed.get("sign"));
    }

    @Test
    void tokensAreIssuedAndTakenBack(Session session) throws Exception {
        Tokens.Issued token = session.tokens().issue("ben", List.of("accounts"), Duration.ofMinutes(5));
        assertEquals("token#1", token.toString());
        assertEquals(START.plusSeconds(300), token.expiresAt());
        assertEquals(List.of("accounts"), session.tokens().list().get(0).scopes());
        assertEquals("ben", session.tokens().list().get(0).login());

        session.tokens().revoke(token.id());
        assertEquals(401, new App(session.baseUrl(), token.text()).accounts());
        Tokens.Issued next = session.tokens().issue();
        session.tokens().downscope(next.id(), "payments");
        assertEquals(403, new App(session.baseUrl(), next.text()).accounts());
        session.tokens().downscopeAll();
        session.tokens().expire(next.id());
        assertEquals("expired", state(session, next));
        Tokens.Issued last = session.tokens().issue("ava");
        session.tokens().expireAll();
        assertEquals("expired", state(session, last));
        session.tokens().revokeAll();
        assertNotEquals("live", state(session, last));
        assertEquals(422, assertThrows(CounterfoilException.class, () -> session.tokens().issue("nobody")).status());
    }

    private static String state(Session session, Tokens.Issued token) {
        return session.tokens().list().stream().filter(other -> other.id().equals(token.id())).findFirst().orElseThrow().state();
    }

    @Test
    void rulesAreSetListedAndRemovedByTheirOpaqueIds(Session session) throws Exception {
        Faults faults = session.faults();
        String maintenance = faults.set(Rule.of("dialect", Map.of("name", "maintenance")).role("accounts").customer("ava").skip(1).times(1));
        String other = faults.set(Rule.of("hang").operation("payments").attempt(2).ttl(Duration.ofMinutes(1)).probability(0.5));
        App app = app(session);

        assertEquals(List.of(200, 503, 200), List.of(app.accounts(), app.accounts(), app.accounts()));

        RuleState state = faults.list().get(0);
        assertEquals(maintenance, state.id());
        assertEquals(List.of(3L, 1L), List.of(state.matched(), state.fired()));
        assertEquals(Map.of("role", "accounts", "customer", "ava"), state.json().get("on"));
        faults.remove(maintenance);
        assertEquals(List.of(other), faults.list().stream().map(RuleState::id).toList());
        assertEquals(404, assertThrows(CounterfoilException.class, () -> faults.remove("a/b?#")).status());
        faults.clear();
        assertEquals(List.of(), faults.list());
    }

    @Test
    void everyPartOfARuleReachesTheServer(Session session) {
        Rule rule = Rule.of("status", Map.of("status", 503)).after(Duration.ofMillis(300)).on("method", "POST").attempt(2);
        session.faults().set(rule.nth(3));
        session.faults().set(rule.every(2).first(4));
        session.faults().set(Rule.parse("{\"fault\": \"hang\"}").after(Duration.ofSeconds(1)).skip(5).times(6).probability(0.25));

        List<Map<String, Object>> set = session.faults().list().stream().map(RuleState::json).toList();

        assertEquals(Map.of("status", Map.of("status", 503L), "after", "300ms"), set.get(0).get("fault"));
        assertEquals(Map.of("method", "POST", "attempt", 2L), set.get(0).get("on"));
        assertEquals(List.of(3L, 2L, 4L), List.of(set.get(0).get("nth"), set.get(1).get("every"), set.get(1).get("first")));
        assertEquals(Map.of("hang", Map.of(), "after", "1s"), set.get(2).get("fault"));
        assertEquals(List.of(5L, 6L, new BigDecimal("0.25")), List.of(set.get(2).get("skip"), set.get(2).get("times"), set.get(2).get("probability")));
    }

    @Test
    void whatARuleHoldsIsReleased(Session session) throws Exception {
        session.faults().set(Rule.of("stall-body", Map.of("at", 20)).role("accounts").times(1));
        App app = app(session);
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                status.complete(app.accounts());
            } catch (Exception error) {
                status.completeExceptionally(error);
            }
        });
        thread.start();

        Exchange held = session.journal().waitForExchange(exchange -> exchange.fault() != null);

        assertEquals("stall-body", held.fault().kind());
        assertThrows(CounterfoilException.class, () -> session.journal().settled(Duration.ofMillis(50)));
        long released = 0;
        for (int tries = 0; released == 0 && tries < 10_000; tries++) released = session.faults().release();
        assertEquals(1, released);
        assertEquals(200, status.get(120, TimeUnit.SECONDS));
        thread.join(10_000);
        session.journal().settled();
        assertEquals(0, session.faults().held());
    }

    @Test
    void anOutageBeginsAndEnds(Session session) throws Exception {
        assertTrue(session.outage().state().isEmpty());

        session.outage().start("maintenance", Duration.ofMinutes(5));

        Outage.State state = session.outage().state().orElseThrow();
        assertEquals(List.of("maintenance", true, Duration.ofMinutes(5)), List.of(state.name(), state.running(), state.left()));
        assertEquals(503, app(session).accounts());
        assertEquals(409, assertThrows(CounterfoilException.class, () -> session.outage().start("brownout")).status());
        session.outage().start(Map.of("name", "brownout", "replace", true, "seed", 3));
        session.outage().stop();
        assertEquals(404, assertThrows(CounterfoilException.class, () -> session.outage().stop()).status());
        session.close();
        assertEquals(404, assertThrows(CounterfoilException.class, () -> session.outage().state()).status());
    }

    @Test
    void aSnapshotIsRestoredAndAResetBeginsAgain(Session session) throws Exception {
        App app = app(session);
        BigDecimal before = session.balances().get("accounts/ava-gbp").amount();
        session.snapshot();
        assertEquals(201, app.pay("10.00"));
        assertEquals(before.subtract(new BigDecimal("10.00")), session.balances().get("accounts/ava-gbp").amount());

        session.restore();

        assertEquals(before, session.balances().get("accounts/ava-gbp").amount());
        assertEquals("GBP", session.balances().get("accounts/ava-gbp").currency());
        session.reset();
        assertEquals(List.of(), session.tokens().list());
        assertEquals(401, app.accounts());
    }

    @Test
    void theLedgerHasWhatWasPaid(Session session) throws Exception {
        App app = app(session);
        app.pay("10.00");

        Ledger ledger = session.ledger();

        assertTrue(ledger.balanced());
        Ledger.Movement payment = ledger.movements().get(0);
        assertEquals(List.of("payments", "accepted", START), List.of(payment.operation(), payment.state(), payment.at()));
        Set<String> amounts = ledger.postings().stream().map(posting -> posting.account() + " " + posting.amount()).collect(Collectors.toSet());
        assertEquals(Set.of("accounts/ava-gbp -10.00", "payees/payee-lark 10.00"), amounts);
        assertEquals(payment.key(), ledger.keys().get(0).get("key"));
        app.pay("20.00");
        assertEquals(2, session.ledger().movements().size());
        assertNotEquals(payment.id(), session.ledger(1).movements().get(0).id());
    }

    @Test
    void aProviderStateIsMadeSo(Session session) throws Exception {
        Map<String, Object> made = session.providerState("customer ava is signed in", Map.of());

        assertEquals(200, new App(session.baseUrl(), String.valueOf(made.get("token"))).accounts());
        assertNull(session.state().outage());
    }

    @Test
    void idleConnectionsAreClosed(Session session) throws Exception {
        URI bank = session.baseUrl();
        try (Socket socket = new Socket(bank.getHost(), bank.getPort())) {
            // Sooner than the server closes it by itself, after a minute.
            socket.setSoTimeout(30_000);
            String request = "GET " + bank.getRawPath() + "/v1/atms HTTP/1.1\r\nHost: " + bank.getAuthority() + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            session.journal().waitForExchange(exchange -> exchange.path().endsWith("/v1/atms"));
            session.journal().settled();

            session.closeIdleConnections();

            assertTrue(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).startsWith("HTTP/1.1 200 OK\r\n"));
        }
    }
}
