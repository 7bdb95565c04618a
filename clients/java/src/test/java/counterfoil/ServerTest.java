package counterfoil;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server is started as a subprocess, and ended. */
final class ServerTest {
    @Test
    void aServerThatIsStartedEndsWithItsClose() throws Exception {
        Counterfoil server = new ServerOptions().banks("counterfoil", "roundup").seed(7).adminToken("very-secret").start();
        ProcessHandle process = ProcessHandle.current().children().filter(ServerTest::isServer).findFirst().orElseThrow();

        assertEquals(List.of("counterfoil", "roundup"), server.bankNames());
        CounterfoilException rejected = assertThrows(
            CounterfoilException.class, () -> Counterfoil.connect(server.admin().toString(), null).version());
        assertEquals(401, rejected.status());
        assertFalse(process.info().commandLine().orElse("").contains("very-secret"));

        server.close();
        server.close();

        assertFalse(process.isAlive());
    }

    @Test
    void theReadmesFirstLinesRun() throws Exception {
        int status;
        try (Counterfoil server = Counterfoil.start("counterfoil"); Session session = server.newSession("counterfoil")) {
            App app = new App(session.baseUrl(), session.tokens().issue("ava").text());
            session.outage().start("maintenance");
            status = app.accounts();
        }
        assertEquals(503, status);
    }

    @Test
    void shutdownEndsItToo() throws Exception {
        try (Counterfoil server = new ServerOptions().banks("counterfoil").adminToken("another").start()) {
            ProcessHandle process = ProcessHandle.current().children().filter(ServerTest::isServer).findFirst().orElseThrow();
            Counterfoil.connect(server.admin() + "/", "another").shutdown();
            process.onExit().get(120, TimeUnit.SECONDS);
        }
    }

    @Test
    void aServerThatCannotStartSaysWhy() {
        CounterfoilException unknown = assertThrows(CounterfoilException.class, () -> Counterfoil.start("roundap"));
        assertTrue(unknown.detail().startsWith("found it ended before it was ready: ") && unknown.detail().contains("roundup"), unknown.detail());

        CounterfoilException missing = assertThrows(CounterfoilException.class, () -> new ServerOptions().program("/no/such/program").start());
        assertEquals("No server", missing.title());
        assertTrue(missing.detail().contains("counterfoil.program"), missing.detail());

        CounterfoilException other = assertThrows(CounterfoilException.class, () -> new ServerOptions().program("echo").start());
        assertTrue(other.detail().startsWith("found «serve "), other.detail());
    }

    @Test
    void theErrorOfAStartHasNoAdminToken() {
        for (List<String> words : List.of(List.of("--admin-token", "open-sesame"), List.of("--admin-token=open-sesame"))) {
            ServerOptions options = new ServerOptions().banks("roundap").adminToken("open-sesame").arguments(words.toArray(new String[0]));
            CounterfoilException error = assertThrows(CounterfoilException.class, options::start);
            assertTrue(error.getMessage().contains("--admin-token"), error.getMessage());
            assertFalse(error.getMessage().contains("open-sesame"), error.getMessage());
        }
    }

    @Test
    void aProgramThatForgetsToCloseItsServerLeavesNoFile(@TempDir Path folder) throws Exception {
        Process program = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Djava.io.tmpdir=" + folder,
                "-Dcounterfoil.stubs=" + System.getProperty("counterfoil.stubs", ""), "-cp", System.getProperty("java.class.path"),
                Forgetful.class.getName())
            .inheritIO()
            .start();

        assertEquals(0, program.waitFor());
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** Starts a server and ends. */
    static final class Forgetful {
        private Forgetful() {}

        public static void main(String[] arguments) throws Exception {
            Counterfoil.start("counterfoil");
            try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
                if (files.findAny().isEmpty()) throw new AssertionError("found no file of the server, expected one that is deleted later");
            }
        }
    }

    /** True for a server of these tests that still runs: the one of the whole run, if there is one, has no admin token. */
    private static boolean isServer(ProcessHandle process) {
        return process.isAlive() && process.info().commandLine().orElse("").contains("serve counterfoil");
    }
}
