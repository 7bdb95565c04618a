package counterfoil;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A running server of stub banks.
 *
 * <pre>{@code
 * try (Counterfoil server = Counterfoil.start("counterfoil"); Session session = server.newSession("counterfoil")) {
 *     session.faults().set(Rule.of("hang").role("accounts").times(1));
 * }
 * }</pre>
 *
 * <p>It may be used by several threads. Every method throws {@link CounterfoilException} if the server rejects a call or cannot be reached.
 */
public final class Counterfoil implements AutoCloseable {
    private final URI admin;
    private final Calls calls;
    private final ServerProcess process;

    Counterfoil(URI admin, String token, ServerProcess process) {
        this(admin, new Calls(admin, token), process);
    }

    private Counterfoil(URI admin, Calls calls, ServerProcess process) {
        this.admin = admin;
        this.calls = calls;
        this.process = process;
    }

    /**
     * Controls the server at the address in COUNTERFOIL_ADMIN, by default {@code http://127.0.0.1:8081}, with the token in
     * COUNTERFOIL_ADMIN_TOKEN, as the commands do.
     *
     * @return the server; nothing was sent to it yet
     */
    public static Counterfoil connect() {
        String admin = System.getenv("COUNTERFOIL_ADMIN");
        return connect(admin == null || admin.isEmpty() ? "http://127.0.0.1:8081" : admin, System.getenv("COUNTERFOIL_ADMIN_TOKEN"));
    }

    /**
     * Controls a running server.
     *
     * @param admin the address of its admin API, such as {@code http://127.0.0.1:8081}; a path is kept, such as that of
     *     {@code https://bank.example/nodes/n2}. The authorities of certificates are those of the JVM's trust store
     *     ({@code javax.net.ssl.trustStore}).
     * @param token its {@code --admin-token}; null if it has none
     * @return the server; nothing was sent to it yet
     */
    public static Counterfoil connect(String admin, String token) {
        return new Counterfoil(Calls.address(admin), token, null);
    }

    /**
     * Controls a running server, and waits for each of its responses at most that long.
     *
     * @param admin the address of its admin API, as for {@link #connect(String, String)}
     * @param token its {@code --admin-token}; null if it has none
     * @param limit the longest time for a whole response, beside a wait that a call itself asks for; without it 30 seconds
     * @return the server; nothing was sent to it yet
     */
    public static Counterfoil connect(String admin, String token, Duration limit) {
        URI address = Calls.address(admin);
        return new Counterfoil(address, new Calls(address, token, limit), null);
    }

    /**
     * Starts a server on free ports; {@link #close} ends it.
     *
     * @param banks the banks that it serves; all if none is named
     * @return the server, ready
     */
    public static Counterfoil start(String... banks) {
        return new ServerOptions().banks(banks).start();
    }

    /**
     * The address of the admin API.
     *
     * @return the address without a slash at its end
     */
    public URI admin() {
        return admin;
    }

    /**
     * The server's version.
     *
     * @return such as {@code 0.1.0}
     */
    public String version() {
        return calls.get("/version").text("version");
    }

    /**
     * The banks that are served.
     *
     * @return their names in the server's order
     */
    public List<String> bankNames() {
        return calls.get("/version").texts("banks");
    }

    /**
     * The banks with their operations, roles and customers.
     *
     * @return the objects of the admin API as maps
     */
    public List<Map<String, Object>> banks() {
        return calls.get("/banks").objects("banks", Fields::map);
    }

    /**
     * Every kind of fault with its point, protocols and settings.
     *
     * @return the objects of the admin API as maps
     */
    public List<Map<String, Object>> faultKinds() {
        return calls.get("/fault-kinds").objects("kinds", Fields::map);
    }

    /**
     * The outages that can be started by name.
     *
     * @return name and sentence of each, in the server's order
     */
    public List<OutagePlan> outages() {
        return calls.get("/outages").objects("outages", OutagePlan::of);
    }

    /**
     * One of the outages that can be started by name.
     *
     * @param name its name
     * @return the plan as the admin API has it
     */
    public Map<String, Object> outage(String name) {
        return calls.get("/outages/" + Calls.encoded(name)).map();
    }

    /**
     * The counts for Prometheus.
     *
     * @return the text of its format
     */
    public String metrics() {
        return calls.text("/metrics");
    }

    /**
     * All sessions, including the default sessions.
     *
     * @return their state
     */
    public List<SessionState> sessions() {
        return calls.get("/sessions").objects("sessions", SessionState::of);
    }

    /**
     * An existing session.
     *
     * @param id its name; a bank's default session is named like the bank
     * @return the session
     */
    public Session session(String id) {
        return new Session(calls, SessionState.of(calls.get(Session.path(id))));
    }

    /**
     * Creates a session with its own money, clock, tokens, faults and journal.
     *
     * @param bank a bank that is served
     * @return the session; {@link Session#close} removes it
     */
    public Session newSession(String bank) {
        return newSession(new NewSession(bank));
    }

    /**
     * Makes a session.
     *
     * @param options bank, name, seed, clock, port and outage
     * @return the session; {@link Session#close} removes it
     */
    public Session newSession(NewSession options) {
        return new Session(calls, SessionState.of(calls.send("POST", "/sessions", options.json())));
    }

    /** Stops the server, even if it was not started here. Responses in progress are sent first. */
    public void shutdown() {
        calls.act("POST", "/shutdown");
    }

    /** Whether it was started here. */
    boolean isOwn() {
        return process != null;
    }

    /** How the process has ended, if it was started here and has ended, or ends within that time. */
    Optional<String> ended(Duration limit) {
        return process == null ? Optional.empty() : process.ended(limit);
    }

    /** Ends the server if {@link ServerOptions#start} started it, and waits for its end. A second call does nothing. */
    @Override
    public void close() {
        if (process != null) process.end();
    }
}
