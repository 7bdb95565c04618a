package counterfoil;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How a server is started: {@code new ServerOptions().banks("roundup").seed(7).start()}. */
public final class ServerOptions {
    private String program = setting("counterfoil.program", "COUNTERFOIL", "");
    private String stubs = setting("counterfoil.stubs", "COUNTERFOIL_STUBS", "");
    private String token = setting("counterfoil.adminToken", "COUNTERFOIL_ADMIN_TOKEN", "");
    private final List<String> banks = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private Duration limit = Duration.ofSeconds(30);

    /**
     * The defaults: the program of the property {@code counterfoil.program}, else of COUNTERFOIL, else {@code counterfoil} on the PATH,
     * else the archive at {@code counterfoil.url} or COUNTERFOIL_URL, which is downloaded once if its checksum is that of
     * {@code counterfoil.sha256} or COUNTERFOIL_SHA256; the banks' folder of {@code counterfoil.stubs}, else of COUNTERFOIL_STUBS, else the
     * program's own; the admin token of {@code counterfoil.adminToken}, else of COUNTERFOIL_ADMIN_TOKEN, else none.
     */
    public ServerOptions() {}

    /** A setting by property, else by environment, else the default. */
    static String setting(String property, String variable, String otherwise) {
        String value = System.getProperty(property, System.getenv(variable));
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /**
     * Which program to start.
     *
     * @param program a path, or a name on the PATH
     * @return this
     */
    public ServerOptions program(String program) {
        this.program = program;
        return this;
    }

    /**
     * Which banks to serve.
     *
     * @param banks their folders; all if none is named
     * @return this
     */
    public ServerOptions banks(String... banks) {
        this.banks.addAll(List.of(banks));
        return this;
    }

    /**
     * Where the banks are.
     *
     * @param folder the folder with a folder for each bank
     * @return this
     */
    public ServerOptions stubs(Path folder) {
        stubs = folder.toString();
        return this;
    }

    /**
     * The seed for all random values.
     *
     * @param seed taken as an unsigned number
     * @return this
     */
    public ServerOptions seed(long seed) {
        return arguments("--seed", Long.toUnsignedString(seed));
    }

    /**
     * Requires a token for every admin call. The server gets it from its environment, which the list of processes does not show.
     *
     * @param token the token
     * @return this
     */
    public ServerOptions adminToken(String token) {
        this.token = token;
        return this;
    }

    /**
     * Further arguments of {@code counterfoil serve}, such as {@code "--tls", "--tls-port", "0"}.
     *
     * @param arguments flags and values, one each
     * @return this
     */
    public ServerOptions arguments(String... arguments) {
        this.arguments.addAll(List.of(arguments));
        return this;
    }

    /**
     * How long to wait for the server to be ready.
     *
     * @param limit by default 30 seconds
     * @return this
     */
    public ServerOptions within(Duration limit) {
        this.limit = limit;
        return this;
    }

    /**
     * Starts the server on free ports.
     *
     * @return the server, ready; {@link Counterfoil#close} ends it, and so does the end of this program
     */
    public Counterfoil start() {
        // Before a process has started that nothing would end.
        Calls.token(token);
        List<String> command = new ArrayList<>(List.of(program.isEmpty() ? Download.program() : program, "serve"));
        command.addAll(banks);
        command.addAll(List.of("--port", "0", "--admin-port", "0", "--quiet"));
        if (!stubs.isEmpty()) command.addAll(List.of("--stubs", stubs));
        command.addAll(arguments);
        ServerProcess process = ServerProcess.start(command, token, limit);
        return new Counterfoil(process.admin(), token, process);
    }
}
