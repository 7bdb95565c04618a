package counterfoil;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A separate bank on a server, with its own money, clock, tokens, faults and journal. */
public final class Session implements AutoCloseable {
    /** How long {@link #expect} waits for exchanges in progress. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Calls calls;
    private final SessionState first;
    private final String path;

    Session(Calls calls, SessionState first) {
        this.calls = calls;
        this.first = first;
        path = path(first.id());
    }

    static String path(String id) {
        return "/sessions/" + Calls.encoded(id);
    }

    /**
     * The session's name.
     *
     * @return the name in the admin API
     */
    public String id() {
        return first.id();
    }

    /**
     * The session's bank.
     *
     * @return the bank's name
     */
    public String bank() {
        return first.bank();
    }

    /**
     * The address to give to the client under test.
     *
     * @return the base of the bank's API, without a slash at its end
     */
    public URI baseUrl() {
        return first.baseUrl();
    }

    /**
     * The session's address from outside: a server in a container does not know its mapped port.
     *
     * @param banks the address of the banks' port, such as {@code http://localhost:32768}; for sessions without a separate port
     * @return the base of the bank's API there, without a slash at its end
     */
    public URI baseUrlAt(String banks) {
        String path = first.baseUrl().getRawPath();
        return URI.create((banks.endsWith("/") ? banks.substring(0, banks.length() - 1) : banks) + (path == null ? "" : path));
    }

    /**
     * The seed for all random values at this bank.
     *
     * @return an unsigned number
     */
    public long seed() {
        return first.seed();
    }

    /**
     * The current state of the session.
     *
     * @return the state, as the server reports it
     */
    public SessionState state() {
        return SessionState.of(calls.get(path));
    }

    /** Resets the session to its start: money, clock, rules and journal. Its tokens become invalid. */
    public void reset() {
        calls.act("POST", path + "/reset");
    }

    /** Saves the session's state, and replaces an earlier snapshot. */
    public void snapshot() {
        calls.act("POST", path + "/snapshot");
    }

    /** Restores the session's snapshot. */
    public void restore() {
        calls.act("POST", path + "/restore");
    }

    /** Removes it. A bank's default session cannot be removed: the server rejects the call. */
    public void remove() {
        calls.act("DELETE", path);
    }

    /** Removes it, unless it is gone already, or is a bank's default session, which stays. */
    @Override
    public void close() {
        try {
            remove();
        } catch (CounterfoilException error) {
            if (error.status() != 404 && error.status() != 409) throw error;
        }
    }

    /**
     * Its clock.
     *
     * @return the clock; each of its calls is a request to the server
     */
    public Clock clock() {
        return new Clock(calls, path + "/clock");
    }

    /**
     * Its attempts to sign in on the bank's page.
     *
     * @return the attempts; each call is a request to the server
     */
    public Authorizations authorizations() {
        return new Authorizations(calls, path + "/authorizations");
    }

    /**
     * The requests that customers must confirm.
     *
     * @return the challenges of this session
     */
    public Challenges challenges() {
        return new Challenges(calls, path + "/challenges");
    }

    /**
     * Its tokens.
     *
     * @return the tokens; each call is a request to the server
     */
    public Tokens tokens() {
        return new Tokens(calls, path + "/tokens");
    }

    /**
     * Its faults.
     *
     * @return the faults; each call is a request to the server
     */
    public Faults faults() {
        return new Faults(calls, path + "/faults");
    }

    /**
     * Its outage.
     *
     * @return the outage; each call is a request to the server
     */
    public Outage outage() {
        return new Outage(calls, path + "/outage");
    }

    /**
     * Its journal.
     *
     * @return the journal; each call is a request to the server
     */
    public Journal journal() {
        return new Journal(calls, path + "/journal");
    }

    /**
     * Triggers an event at the bank: money comes in, a payment settles or returns.
     *
     * @param event such as {@code payment-in}
     * @param members such as {@code account} and {@code amount}
     * @return the movement that it has made or ended: id, state, from, to, amount, currency, at
     */
    public Map<String, Object> happen(String event, Map<String, String> members) {
        Map<String, Object> body = new LinkedHashMap<>(members);
        body.put("event", event);
        return calls.send("POST", path + "/events", body).map();
    }

    /**
     * Schedules an event by the session clock.
     *
     * @param event such as {@code payment-in}
     * @param after such as {@code 3d}
     * @param members such as {@code account} and {@code amount}; {@code every} is {@code month} or a duration
     * @return the event with its instant, {@code at}
     */
    public Map<String, Object> schedule(String event, String after, Map<String, String> members) {
        Map<String, Object> body = new LinkedHashMap<>(members);
        body.put("event", event);
        body.put("in", after);
        return calls.send("POST", path + "/schedule", body).map();
    }

    /**
     * Registers a receiver of webhooks.
     *
     * @param url its address
     * @return the webhook with its {@code id} and the {@code secret} of its signatures
     */
    public Map<String, Object> addWebhook(String url) {
        return addWebhook(url, List.of(), null);
    }

    /**
     * Registers a receiver of some events.
     *
     * @param url its address
     * @param events such as {@code payment.settled}; all if it is empty
     * @param sign how its deliveries are signed: {@code timestamped}, {@code body}, {@code jws} or {@code jwt}; null for the bank's way
     * @return the webhook with its {@code id} and the {@code secret} of its signatures
     */
    public Map<String, Object> addWebhook(String url, List<String> events, String sign) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("url", url);
        if (!events.isEmpty()) body.put("events", events);
        if (sign != null) body.put("sign", sign);
        return calls.send("POST", path + "/webhooks", body).map();
    }

    /**
     * A receiver of webhooks with its {@code deliveries}, and every attempt of each.
     *
     * @param id such as {@code webhook-1}
     * @return a copy
     */
    public Map<String, Object> webhook(String id) {
        return calls.get(path + "/webhooks/" + Calls.encoded(id)).map();
    }

    /**
     * Applies a fault to the next deliveries.
     *
     * @param id such as {@code webhook-1}
     * @param fault such as {@code duplicate} or {@code forged}
     * @param times the number of deliveries
     */
    public void breakWebhook(String id, String fault, int times) {
        calls.send("POST", path + "/webhooks/" + Calls.encoded(id) + "/faults", Map.of("fault", fault, "times", times));
    }

    /**
     * All bookings: accounts, postings, movements and keys.
     *
     * @return a copy
     */
    public Ledger ledger() {
        return Ledger.of(calls.get(path + "/ledger"));
    }

    /**
     * The newest bookings.
     *
     * @param last at most that many of each kind
     * @return a copy
     */
    public Ledger ledger(int last) {
        return Ledger.of(calls.get(path + "/ledger" + Calls.query(Map.of("last", last))));
    }

    /**
     * The available balances of its accounts.
     *
     * @return an amount for each of the first 200 accounts, by the account's name, such as {@code accounts/ava-gbp}
     */
    public Map<String, Money> balances() {
        Map<String, Money> balances = new LinkedHashMap<>();
        for (Fields balance : calls.get(path + "/balances").objects("balances", fields -> fields)) {
            balances.put(balance.text("account"), Money.of(balance, "balance"));
        }
        return balances;
    }

    /**
     * The verdict on the client, from the request journal as it is now.
     *
     * @param suites such as {@code auth} and {@code pay}; all if none is named
     * @return the verdict
     */
    public Verdict verdict(String... suites) {
        return verdict(false, suites);
    }

    /**
     * The same for an app that sends one request at a time, each after it has read the response to the one before: the order of requests
     * decides rules that are inconclusive otherwise.
     *
     * @param suites such as {@code auth} and {@code pay}; all if none is named
     * @return the verdict
     */
    public Verdict verdictSequential(String... suites) {
        return verdict(true, suites);
    }

    private Verdict verdict(boolean isSequential, String... suites) {
        Map<String, Object> query = new LinkedHashMap<>();
        if (suites.length > 0) query.put("suites", String.join(",", suites));
        if (isSequential) query.put("sequential", true);
        return Verdict.of(calls.get(path + "/verdict" + Calls.query(query)));
    }

    /**
     * Waits until no exchange is in progress, at most 10 seconds, then checks that the client broke no binding rule and passed at least one
     * rule of each suite, so that no test passes because nothing happened. It logs a warning, to the {@code System.Logger}
     * {@code counterfoil}, for each rule that the journal cannot decide. To wait longer, call {@link Journal#settled(Duration)} first.
     *
     * @param suites such as {@code auth} and {@code pay}; all together if none is named
     * @return the verdict
     * @throws AssertionError with the verdict as text
     * @throws CounterfoilException if exchanges are still in progress, with their lines
     */
    public Verdict expect(String... suites) {
        return expect(false, suites);
    }

    /**
     * As {@link #expect}, for an app that sends one request at a time; see {@link #verdictSequential}.
     *
     * @param suites such as {@code auth} and {@code pay}; all together if none is named
     * @return the verdict
     * @throws AssertionError with the verdict as text
     */
    public Verdict expectSequential(String... suites) {
        return expect(true, suites);
    }

    private Verdict expect(boolean isSequential, String... suites) {
        journal().settled(LIMIT);
        Verdict verdict = verdict(isSequential, suites);
        verdict.require(suites);
        verdict.warn();
        return verdict;
    }

    /**
     * Sets up a provider state of a pact.
     *
     * @param state the state, as worded in the pact
     * @param params the values of its placeholders in braces
     * @return the values that the state created, by name, such as {@code token}
     */
    public Map<String, Object> providerState(String state, Map<String, ?> params) {
        return calls.send("POST", path + "/provider-state", Map.of("state", state, "params", params)).map();
    }

    /** Closes its connections that carry no request. */
    public void closeIdleConnections() {
        calls.act("POST", path + "/connections/close", Map.of());
    }

    @Override
    public String toString() {
        return "session " + id() + " of " + bank() + " at " + baseUrl();
    }
}
