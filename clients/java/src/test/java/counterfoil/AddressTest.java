package counterfoil;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses of the admin API: behind a proxy that ends TLS, below a path, redirected, and rejected. */
final class AddressTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    @Test
    void aServerIsReachedThroughTls() throws Exception {
        Path store = store();
        try (Proxy proxy = new Proxy(context(store), null)) {
            String address = proxy.address() + "/nodes/n%32";

            assertEquals(address + " [counterfoil]", connected(address + "/", "-Djavax.net.ssl.trustStore=" + store));

            assertEquals(List.of("/nodes/n%32/__admin/version Bearer open-sesame"), proxy.calls);
        }
    }

    @Test
    void aCertificateThatIsNotTrustedGetsNoToken() throws Exception {
        Path store = store();
        try (Proxy proxy = new Proxy(context(store), null)) {
            String other = proxy.address().replace("127.0.0.1", "localhost");

            for (String printed : List.of(connected(proxy.address()), connected(other, "-Djavax.net.ssl.trustStore=" + store))) {
                assertTrue(printed.contains("No response: expected a server there: javax.net.ssl.SSLHandshakeException: "), printed);
            }

            assertEquals(List.of(), proxy.calls);
        }
    }

    @Test
    void thePathOfAnAddressIsKept() throws Exception {
        Map<String, String> kept = Map.of("", "", "/", "", "/nodes/n2", "/nodes/n2", "/a/%2e%2e/../b%2Fc//", "/a/%2e%2e/../b%2Fc");
        try (Proxy proxy = new Proxy(null, null)) {
            for (Map.Entry<String, String> path : kept.entrySet()) {
                Counterfoil server = Counterfoil.connect(proxy.address() + path.getKey(), null);
                assertEquals(List.of("counterfoil"), server.bankNames());
                assertEquals(proxy.address() + path.getValue(), server.admin().toString());
                assertEquals(path.getValue() + "/__admin/version null", proxy.calls.remove(0));
            }
        }
    }

    @Test
    void noRedirectGetsTheToken() throws Exception {
        try (Proxy other = new Proxy(null, null); Proxy proxy = new Proxy(null, other.address())) {
            Counterfoil server = Counterfoil.connect(proxy.address(), "open-sesame");

            assertEquals(307, assertThrows(CounterfoilException.class, server::version).status());

            assertEquals(List.of("/__admin/version Bearer open-sesame"), proxy.calls);
            assertEquals(List.of(), other.calls);
        }
    }

    @Test
    void aResponseWithoutItsEndIsNotWaitedFor() throws Exception {
        List<Socket> open = new CopyOnWriteArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread head = new Thread(() -> {
                try {
                    Socket connection = server.accept();
                    open.add(connection);
                    connection.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException error) {
                    // The client then fails, and with it the test.
                }
            });
            head.start();
            Counterfoil late = Counterfoil.connect("http://127.0.0.1:" + server.getLocalPort(), null, Duration.ofMillis(500));

            CounterfoilException error = assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> assertThrows(CounterfoilException.class, late::version));

            assertTrue(error.getMessage().endsWith("No response: found no whole response after 500 ms, expected one"), error.getMessage());
            head.join();
        } finally {
            for (Socket connection : open) connection.close();
        }
    }

    @Test
    void aTokenThatCannotBeSentIsNotRepeated() {
        String message = "the admin token: No token: found a line break or a character beyond ASCII, expected one line of ASCII text";
        for (String token : List.of("open-sesame\n", "open\rsesame", "open-s\u00e9same")) {
            CounterfoilException rejected = assertThrows(CounterfoilException.class, () -> Counterfoil.connect("http://127.0.0.1:1", token));
            assertEquals(message, rejected.getMessage());
            assertThrows(CounterfoilException.class, () -> new ServerOptions().program("/none").adminToken(token).start());
        }
    }

    @Test
    void anAddressThatIsNoneIsRejected() {
        String end = ": No address: expected one such as http://127.0.0.1:8081, without user, query and fragment";
        for (String address : List.of(
            "127.0.0.1:8081", "ftp://127.0.0.1", "https://", "http://127.0.0.1:x", "http://127.0.0.1:65536",
            "http://127.0.0.1/?a=b", "http://127.0.0.1/#a", "http://127.0.0.1/a b", "http://127.0.0.1/é", "http://127.0.0.1/%zz")) {
            CounterfoilException rejected = assertThrows(CounterfoilException.class, () -> Counterfoil.connect(address, null));
            assertEquals(address + end, rejected.getMessage());
        }
    }

    @Test
    void aNameThatNothingHasIsNotSent() {
        Counterfoil server = Counterfoil.connect("http://127.0.0.1:1", null);
        Map<String, String> names = Map.of("", "an empty name", ".", "the name .", "..", "the name ..");
        names.forEach((name, shown) -> {
            CounterfoilException rejected = assertThrows(CounterfoilException.class, () -> server.session(name));
            assertEquals("found " + shown + ", expected the id of a session, a rule or the like", rejected.detail());
        });
    }

    @Test
    void aUserInAnAddressIsNotRepeated() {
        Map<String, String> addresses = Map.of(
            "https://ava:secret@bank.example/x", "https://…@bank.example/x",
            "http://secret@bank.example", "http://…@bank.example",
            "ava:secret@bank.example", "…@bank.example",
            "http://ava:sec/ret@secret@h:1", "http://…@h:1");
        addresses.forEach((address, shown) -> {
            CounterfoilException rejected = assertThrows(CounterfoilException.class, () -> Counterfoil.connect(address, null));
            assertTrue(rejected.getMessage().startsWith(shown + ": No address: "), rejected.getMessage());
            assertFalse(rejected.getMessage().contains("secret"));
            assertNull(rejected.getCause());
        });
    }

    /** Prints what a server behind that address has: a JVM reads its trust store once. */
    public static void main(String[] arguments) {
        try {
            Counterfoil server = Counterfoil.connect(arguments[0], "open-sesame");
            System.out.println(server.admin() + " " + server.bankNames());
        } catch (CounterfoilException error) {
            System.out.println(error.getMessage());
        }
    }

    /** What {@link #main} prints in a JVM with these options. */
    private static String connected(String address, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(tool("java"), "-Djavax.net.ssl.trustStorePassword=" + PASSWORD));
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), AddressTest.class.getName(), address));
        return ran(command);
    }

    /** A store with a key and its certificate for 127.0.0.1, which no authority has signed. */
    private Path store() throws Exception {
        Path store = folder.resolve("proxy.p12");
        ran(List.of(
            tool("keytool"), "-genkeypair", "-alias", "proxy", "-keyalg", "EC", "-dname", "CN=proxy", "-ext", "SAN=ip:127.0.0.1",
            "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString()));
        assertTrue(Files.exists(store));
        return store;
    }

    private static SSLContext context(Path store) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            keys.load(file, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private static String ran(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        try (InputStream printed = process.getInputStream()) {
            return new String(printed.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    /** Answers every call with a version, or with a redirect, and records the path and the token; with TLS if it has a context. */
    private static final class Proxy implements AutoCloseable {
        final List<String> calls = new CopyOnWriteArrayList<>();
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final HttpServer server;
        private final String elsewhere;

        Proxy(SSLContext context, String elsewhere) throws IOException {
            this.elsewhere = elsewhere;
            InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
            if (context == null) {
                server = HttpServer.create(any, 0);
            } else {
                HttpsServer secure = HttpsServer.create(any, 0);
                secure.setHttpsConfigurator(new HttpsConfigurator(context));
                server = secure;
            }
            server.setExecutor(threads);
            server.createContext("/", this::answer);
            server.start();
        }

        String address() {
            return (server instanceof HttpsServer ? "https" : "http") + "://127.0.0.1:" + server.getAddress().getPort();
        }

        private void answer(HttpExchange exchange) throws IOException {
            calls.add(exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Authorization"));
            if (elsewhere != null) exchange.getResponseHeaders().set("Location", elsewhere + exchange.getRequestURI());
            byte[] body = "{\"version\":\"0.1.0\",\"banks\":[\"counterfoil\"]}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(elsewhere == null ? 200 : 307, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdown();
        }
    }
}
