package counterfoil;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server that was started here: a process that is ended with {@link #end}, or with this program. */
final class ServerProcess {
    /** The title of the error of a program that has run, but was not ready. */
    static final String NOT_READY = "Not ready";
    /** The longest time for a graceful end; then the process is killed. */
    private static final long GRACE_SECONDS = 10;

    private final Process process;
    private final Path errors;
    private final Thread ending;
    private URI admin;

    private ServerProcess(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        ending = new Thread(process::destroy, "counterfoil-end");
        Runtime.getRuntime().addShutdownHook(ending);
    }

    /** Starts the command and waits for its ready line. */
    static ServerProcess start(List<String> command, String token, Duration limit) {
        String what = withoutSecrets(command);
        ServerProcess server = null;
        try {
            Path errors = Files.createTempFile("counterfoil", ".log");
            // At the end of a program that never calls `end`.
            errors.toFile().deleteOnExit();
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
            if (!token.isEmpty()) builder.environment().put("COUNTERFOIL_ADMIN_TOKEN", token);
            try {
                server = new ServerProcess(builder.start(), errors);
            } catch (IOException error) {
                Files.deleteIfExists(errors);
                throw error;
            }
            String ready = server.readyLine(what, limit);
            try {
                server.admin = Calls.address(Fields.of(what, Json.read(ready)).text("admin"));
            } catch (IllegalArgumentException error) {
                throw CounterfoilException.local(what, "No server", "found «" + ready + "», expected the ready line of counterfoil serve", error);
            }
            return server;
        } catch (IOException error) {
            throw CounterfoilException.local(
                what, "No server", "expected the program: set COUNTERFOIL or the property counterfoil.program to its path; " + error.getMessage(), error);
        } catch (RuntimeException error) {
            if (server != null) server.end();
            throw error;
        }
    }

    /** The command without the value of {@code --admin-token}: errors stand in logs that others read. */
    private static String withoutSecrets(List<String> command) {
        String name = "--admin-token";
        List<String> shown = new ArrayList<>();
        String before = "";
        for (String word : command) {
            shown.add(before.equals(name) ? "***" : word.startsWith(name + "=") ? name + "=***" : word);
            before = word;
        }
        return String.join(" ", shown);
    }

    URI admin() {
        return admin;
    }

    /** The first line of its standard output. A thread reads on, so that the server never waits for a reader. */
    private String readyLine(String what, Duration limit) {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(line), "counterfoil-output");
        reader.setDaemon(true);
        reader.start();
        try {
            String ready = line.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (ready != null) return ready;
            process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
            throw CounterfoilException.local(what, NOT_READY, "found it ended before it was ready: " + output(), null);
        } catch (TimeoutException error) {
            throw CounterfoilException.local(what, NOT_READY, "found no ready line after " + limit.toSeconds() + " s: " + output(), error);
        } catch (ExecutionException error) {
            throw CounterfoilException.local(what, "No server", "found no ready line: " + error.getCause(), error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw CounterfoilException.local(what, "Interrupted", "the thread was interrupted while the server started", error);
        }
    }

    /** Completes with the first line, or null at the end, then reads and drops the rest. */
    private void read(CompletableFuture<String> line) {
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            line.complete(output.readLine());
            while (output.readLine() != null) continue;
        } catch (IOException error) {
            line.completeExceptionally(error);
        }
    }

    /** The status with which it ended, and its output; empty if it still runs after that time. */
    Optional<String> ended(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) return Optional.empty();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        String output = output();
        return Optional.of("with status " + process.exitValue() + (output.isEmpty() ? "; it printed nothing" : "; its output: " + output));
    }

    private String output() {
        try {
            return Files.readString(errors).strip();
        } catch (IOException error) {
            return error.toString();
        }
    }

    /** Ends the process and waits for its end; kills it if it takes too long. */
    synchronized void end() {
        boolean interrupted = Thread.interrupted();
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException error) {
            process.destroyForcibly();
            interrupted = true;
        }
        if (interrupted) Thread.currentThread().interrupt();
        try {
            Runtime.getRuntime().removeShutdownHook(ending);
        } catch (IllegalStateException error) {
            // This program is ending already, and the hook with it.
        }
        try {
            Files.deleteIfExists(errors);
        } catch (IOException error) {
            // It is deleted at the end of this program.
        }
    }
}
