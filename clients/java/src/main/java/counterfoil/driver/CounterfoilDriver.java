package counterfoil.driver;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Currency;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/**
 * Turns a Java client into a driver: Counterfoil operates it, and reads what the user would see.
 *
 * <pre>{@code
 * new CounterfoilDriver<>("acme-bank 2.1", start -> new Bank(start.baseUrl()))
 *     .banks("counterfoil")
 *     .on("login", (bank, step) -> {
 *         bank.signIn(step.get("user"), step.get("password"));
 *         return Map.of("signed_in", true);
 *     })
 *     .run(args);
 * }</pre>
 *
 * <p>One file that needs only JDK 17, to copy or to take from the jar. Steps run on separate threads, never on the main
 * thread. While {@link #run} works, {@code System.out} is {@code System.err}, so what the client prints cannot corrupt the protocol.
 *
 * @param <C> the client of a case; if it is {@link AutoCloseable}, it is closed at the end
 */
public final class CounterfoilDriver<C> {
    private static final Set<String> PAYING = Set.of("pay", "resume", "round_up");
    /** Without a final response it is unknown whether a payment was made; 409 for a key still in use is not final. */
    private static final Set<String> OPEN = Set.of("offline", "timeout", "tls", "too_large", "decode", "unavailable", "conflict");

    private final String client;
    private final Opener<C> open;
    private List<String> banks;
    private List<String> features = List.of();
    private Function<Exception, Failure> failures = error -> null;
    private final Map<String, Handler<C>> operations = new LinkedHashMap<>();
    private final Map<String, Running<C>> cases = new HashMap<>();
    private PrintStream out;

    /**
     * A driver without operations.
     *
     * @param client its name and version
     * @param open makes the client of a case
     */
    public CounterfoilDriver(String client, Opener<C> open) {
        this.client = client;
        this.open = open;
    }

    /**
     * Names the banks that the client supports; by default all.
     *
     * @param names such as {@code counterfoil}
     * @return this driver
     */
    public CounterfoilDriver<C> banks(String... names) {
        banks = List.of(names);
        return this;
    }

    /**
     * Names what the client can do beyond single operations.
     *
     * @param names such as {@code persistence}
     * @return this driver
     */
    public CounterfoilDriver<C> features(String... names) {
        features = List.of(names);
        return this;
    }

    /**
     * Maps the client's own exceptions to error names.
     *
     * @param failures gives the failure that an exception means, null for any other than the client's own
     * @return this driver
     */
    public CounterfoilDriver<C> failures(Function<Exception, Failure> failures) {
        this.failures = failures;
        return this;
    }

    /**
     * Declares an operation.
     *
     * @param operation its name, such as {@code balance}
     * @param handler does it
     * @return this driver
     */
    public CounterfoilDriver<C> on(String operation, Handler<C> handler) {
        operations.put(operation, handler);
        return this;
    }

    /**
     * Runs until standard input ends. With {@code --try URL OPERATION [NAME=VALUE]…} it executes these operations once and prints their results.
     *
     * @param arguments those of the program
     * @throws Exception if a line is not of the protocol, or a case cannot be opened
     */
    public void run(String... arguments) throws Exception {
        out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        if (arguments.length > 0 && arguments[0].equals("--try")) {
            tryOut(Arrays.asList(arguments).subList(1, arguments.length));
            return;
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isBlank()) continue;
            Map<String, Object> message = Json.object(Json.read(line));
            if ("bye".equals(message.get("t"))) break;
            handle(message);
        }
        for (Running<C> running : cases.values()) running.await();
    }

    private void handle(Map<String, Object> message) throws Exception {
        String id = (String) message.get("case");
        switch (String.valueOf(message.get("t"))) {
            case "hello" -> {
                Map<String, Object> hello = fields("t", "hello", "v", 1, "nonce", message.get("nonce"), "client", client);
                if (banks != null) hello.put("banks", banks);
                hello.put("operations", List.copyOf(operations.keySet()));
                hello.put("features", features);
                send(hello);
            }
            case "case" -> {
                Case start = new Case(message);
                cases.put(id, new Running<>(start, open.open(start)));
                send(fields("t", "ready", "case", id));
            }
            case "step" -> begin(cases.get(id), message);
            case "cancel" -> {
                Running<C> running = cases.get(id);
                Thread thread = running == null ? null : running.threads.get(number(message));
                if (thread != null) thread.interrupt();
            }
            case "end" -> {
                Running<C> running = cases.remove(id);
                // Cases do not wait for each other.
                Thread ending = new Thread(() -> orExit(() -> {
                    running.await();
                    running.close();
                    send(fields("t", "ended", "case", id));
                }));
                ending.setDaemon(false);
                ending.start();
            }
            default -> { }
        }
    }

    private void begin(Running<C> running, Map<String, Object> message) {
        int n = number(message);
        Step step = new Step(running.start, message);
        Thread thread = new Thread(() -> orExit(() -> {
            Map<String, Object> answer = fields("t", "result", "case", running.start.id(), "n", n);
            answer.putAll(result(running.client, step));
            send(answer);
        }));
        running.threads.put(n, thread);
        thread.start();
    }

    private Map<String, Object> result(C client, Step step) throws Exception {
        Handler<C> handler = operations.get(step.operation());
        if (handler == null) return fields("outcome", "unsupported");
        try {
            return fields("outcome", "ok", "view", whole(handler.perform(client, step)));
        } catch (Unsupported none) {
            return fields("outcome", "unsupported");
        } catch (Silent nothing) {
            return fields("outcome", "silent");
        } catch (Exception error) {
            Failure own = failures.apply(error);
            Failure failure = own != null ? own : Failure.of(error);
            if (failure == null) throw error;
            String name = PAYING.contains(step.operation()) && failure.sent ? ofPayment(failure) : failure.name;
            if (!failure.isShown) return fields("outcome", "silent", "error", name);
            return fields("outcome", "error", "error", name, "detail", failure.getMessage());
        }
    }

    /** The view. A text with half of a surrogate pair, as JSON has it in {@code "\\ud800"}, is not valid text: {@code decode}. */
    private static Object whole(Object view) throws Failure {
        if (StandardCharsets.UTF_8.newEncoder().canEncode(Json.text(view))) return view;
        throw new Failure("decode", "a text with half of a surrogate pair");
    }

    /**
     * The error of a payment that may have been sent: an account that is not there is a rejection. A request that was called off on its way
     * may have paid; what the client itself calls cancelled has not.
     */
    private static String ofPayment(Failure failure) {
        if (failure.isCalledOff || OPEN.contains(failure.name)) return "outcome_unknown";
        return failure.name.equals("not_found") ? "rejected" : failure.name;
    }

    private synchronized void send(Map<String, Object> message) {
        out.print(Json.text(message) + "\n");
        out.flush();
    }

    private void tryOut(List<String> words) throws Exception {
        if (words.isEmpty() || words.get(0).contains("=") || words.size() > 1 && words.get(1).contains("=")) {
            System.err.println("usage: --try URL [OPERATION [NAME=VALUE]…]…, such as "
                + "--try http://127.0.0.1:8080/counterfoil login user=ava password=correct-horse");
            System.exit(2);
        }
        List<Map<String, Object>> asked = new ArrayList<>();
        for (String word : words.subList(1, words.size())) {
            int equals = word.indexOf('=');
            if (equals < 0) asked.add(fields("op", word, "args", new LinkedHashMap<String, Object>()));
            else Json.object(asked.get(asked.size() - 1).get("args")).put(word.substring(0, equals), word.substring(equals + 1));
        }
        if (asked.isEmpty()) asked.add(fields("op", "status"));
        String url = words.get(0).replaceAll("/+$", "");
        String named = url.substring(url.lastIndexOf('/') + 1);
        Path folder = Files.createTempDirectory("counterfoil-try");
        // Ctrl-C, SIGTERM and SIGHUP end the program without `finally`; the folder can hold tokens.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder)));
        try {
            Case start = new Case(fields("case", "try", "base_url", url, "bank", banks == null || banks.contains(named) ? named : banks.get(0),
                "state_dir", folder.toString()));
            Running<C> running = new Running<>(start, open.open(start));
            for (Map<String, Object> message : asked) {
                out.println(message.get("op") + ": " + Json.text(result(running.client, new Step(start, message))));
                out.flush();
            }
            running.close();
        } finally {
            remove(folder);
        }
    }

    /** Removes a folder in which the client may still make files: what comes meanwhile is removed by another attempt. */
    private static synchronized void remove(Path folder) {
        for (int attempt = 0; attempt < 10 && Files.exists(folder); attempt++) {
            try (Stream<Path> left = Files.walk(folder)) {
                for (Path path : left.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
            } catch (IOException | UncheckedIOException changed) {
                if (attempt == 9) System.err.println(folder + " cannot be removed: " + changed);
            }
        }
    }

    /** A bug in the driver ends the program: a client that has ended is noticed at once, one without output is not. */
    private static void orExit(Work work) {
        try {
            work.run();
        } catch (Exception | Error error) {
            error.printStackTrace();
            Runtime.getRuntime().halt(70);
        }
    }

    private static int number(Map<String, Object> message) {
        return ((BigDecimal) message.get("n")).intValueExact();
    }

    private static Map<String, Object> fields(Object... pairs) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int at = 0; at < pairs.length; at += 2) fields.put((String) pairs[at], pairs[at + 1]);
        return fields;
    }

    private interface Work {
        void run() throws Exception;
    }

    /** A case in progress. */
    private static final class Running<C> {
        final Case start;
        final C client;
        final Map<Integer, Thread> threads = new ConcurrentHashMap<>();

        Running(Case start, C client) {
            this.start = start;
            this.client = client;
        }

        void await() throws InterruptedException {
            for (Thread thread : threads.values()) thread.join();
        }

        void close() throws Exception {
            if (client instanceof AutoCloseable closeable) closeable.close();
        }
    }

    /**
     * Makes the client of a case.
     *
     * @param <C> the client
     */
    @FunctionalInterface
    public interface Opener<C> {
        /**
         * Makes the client.
         *
         * @param start the case
         * @return the client
         * @throws Exception if it cannot be made; the program then ends
         */
        C open(Case start) throws Exception;
    }

    /**
     * Executes one operation.
     *
     * @param <C> the client
     */
    @FunctionalInterface
    public interface Handler<C> {
        /**
         * Executes the operation as a user would.
         *
         * @param client the client of the case
         * @param step the arguments; its thread is interrupted when the harness no longer waits for it (feature {@code cancel})
         * @return the data that the user sees: maps, lists, texts, truth values and whole numbers
         * @throws Exception a {@link Failure}, or an exception that {@link Failure#of} knows; any other ends the program
         */
        Map<String, ?> perform(C client, Step step) throws Exception;
    }

    /** A case that begins: the bank's address, the customer, the folder for everything that the client writes. */
    public static final class Case {
        private final Map<String, Object> message;

        Case(Map<String, Object> message) {
            this.message = message;
        }

        private String text(String name) {
            return (String) message.get(name);
        }

        private Duration limit(String name, long otherwise) {
            Object limit = message.get("timeouts") == null ? null : Json.object(message.get("timeouts")).get(name);
            return Duration.ofMillis(limit instanceof BigDecimal number ? number.longValue() : otherwise);
        }

        /** {@return the id of the case} */
        public String id() {
            return text("case");
        }

        /** {@return the bank's address, without a slash at its end} */
        public String baseUrl() {
            return text("base_url");
        }

        /** {@return the bank's name} */
        public String bank() {
            return text("bank");
        }

        /** {@return the only folder that the client may write to} */
        public Path stateDir() {
            return Path.of(text("state_dir"));
        }

        /** {@return the customer: {@code user} and {@code password}, or {@code token} on banks without a login call} */
        public Map<String, Object> login() {
            return message.get("login") == null ? Map.of() : Json.object(message.get("login"));
        }

        /** {@return a PEM file of the authority to trust besides the system's; null without TLS} */
        public Path caFile() {
            return text("ca_file") == null ? null : Path.of(text("ca_file"));
        }

        /** {@return the time zone in which days are shown} */
        public ZoneId timeZone() {
            return ZoneId.of(text("time_zone") == null ? "UTC" : text("time_zone"));
        }

        /** {@return the user's locale, such as {@code de_DE}; null if the case depends on none} */
        public String locale() {
            return text("locale");
        }

        /** {@return the limit of a connection, its handshake included} */
        public Duration connectLimit() {
            return limit("connect_ms", 2000);
        }

        /** {@return the limit of one attempt, from the first byte sent to the last byte read} */
        public Duration totalLimit() {
            return limit("total_ms", 5000);
        }

        /**
         * {@return the longest first pause before an attempt is repeated, for a client whose pauses can be configured; null if the
         * client's own pauses are tested}
         */
        public Duration backoff() {
            Duration backoff = limit("backoff_ms", 0);
            return backoff.isZero() ? null : backoff;
        }

        /** {@return whether the process was restarted: the folder has what the client stored} */
        public boolean resumed() {
            return Boolean.TRUE.equals(message.get("resumed"));
        }

        /** {@return all values that the harness sent, by the names of the driver protocol} */
        public Map<String, Object> message() {
            return message;
        }
    }

    /** One step. A {@code login} without a user has the user, password and token of the case. */
    public static final class Step {
        private final Case start;
        private final Map<String, Object> message;
        private final Map<String, Object> args = new LinkedHashMap<>();

        Step(Case start, Map<String, Object> message) {
            this.start = start;
            this.message = message;
            if (operation().equals("login")) args.putAll(start.login());
            if (message.get("args") != null) args.putAll(Json.object(message.get("args")));
        }

        /** {@return the case} */
        public Case start() {
            return start;
        }

        /** {@return the operation's name} */
        public String operation() {
            return (String) message.get("op");
        }

        /** {@return the current time, for clients with the feature {@code clock}; else null} */
        public String now() {
            return (String) message.get("now");
        }

        /**
         * An argument.
         *
         * @param name such as {@code account}
         * @return its text; null if there is none
         */
        public String get(String name) {
            return (String) args.get(name);
        }

        /**
         * An argument that is an instant.
         *
         * @param name such as {@code from}
         * @return the instant; null if there is none
         */
        public Instant instant(String name) {
            return get(name) == null ? null : OffsetDateTime.parse(get(name)).toInstant();
        }
    }

    /** A step that failed. */
    public static class Failure extends Exception {
        private static final long serialVersionUID = 1;
        private static final Set<String> NAMES = Set.of(
            "unauthorized", "consent_expired", "forbidden", "not_found", "conflict", "rejected", "rate_limited", "unavailable", "offline",
            "timeout", "tls", "too_large", "decode", "outcome_unknown", "cancelled", "nothing_to_do", "failed");
        private static final Map<Integer, String> BY_STATUS = Map.of(
            401, "unauthorized", 403, "forbidden", 404, "not_found", 409, "conflict", 410, "not_found", 429, "rate_limited");

        /** The error of the driver protocol. */
        private final String name;
        /** Whether a byte of the request may have been sent. */
        private final boolean sent;
        /** Whether the client shows the error to the user. */
        private boolean isShown = true;
        /** Whether the request ended because its thread was interrupted, or its future cancelled. */
        private boolean isCalledOff;

        /**
         * A failure after a request may have been sent.
         *
         * @param name the error of the driver protocol, such as {@code timeout}
         */
        public Failure(String name) {
            this(name, null);
        }

        /**
         * A failure after a request may have been sent.
         *
         * @param name the error of the driver protocol, such as {@code timeout}
         * @param detail free text for the report, without secrets
         */
        public Failure(String name, String detail) {
            this(name, detail, true);
        }

        /**
         * A failure.
         *
         * @param name the error of the driver protocol, such as {@code timeout}
         * @param detail free text for the report, without secrets
         * @param sent whether a byte of the request may have been sent; a payment without a final response is then {@code outcome_unknown}
         */
        public Failure(String name, String detail, boolean sent) {
            super(detail == null ? name : detail);
            if (!NAMES.contains(name)) throw new IllegalArgumentException("found the error " + name + ", expected one of " + NAMES);
            this.name = name;
            this.sent = sent;
        }

        /** {@return this failure, marked as an error that the client does not show to the user} */
        public Failure unshown() {
            isShown = false;
            return this;
        }

        /** {@return the error of the driver protocol} */
        public String name() {
            return name;
        }

        /**
         * The failure that a status means, for a bank without its own error codes.
         *
         * @param status such as 404
         * @return the failure
         */
        public static Failure ofStatus(int status) {
            return ofStatus(status, "");
        }

        /**
         * The failure that a status means, for a bank without its own error codes.
         *
         * @param status such as 404
         * @param detail free text for the report, without secrets; empty for none
         * @return the failure
         */
        public static Failure ofStatus(int status, String detail) {
            String other = status >= 500 ? "unavailable" : status >= 400 ? "rejected" : "decode";
            return new Failure(BY_STATUS.getOrDefault(status, other), "status " + status + (detail.isEmpty() ? "" : ": " + detail));
        }

        /**
         * The failure that an exception of the JDK means. A client that repeats a lost request by itself, as OkHttp does, may end with a
         * {@link ConnectException} although a byte was sent: it makes its own failure.
         *
         * @param error such as one of {@code java.net.http}
         * @return the failure; null for any other exception, which is a mistake of the program
         */
        public static Failure of(Throwable error) {
            if (error instanceof Failure failure) return failure;
            boolean isWrapper = error instanceof ExecutionException || error instanceof CompletionException || error instanceof UncheckedIOException;
            if (isWrapper && error.getCause() != null) return of(error.getCause());
            if (error instanceof HttpConnectTimeoutException) return new Failure("timeout", "no connection in time", false);
            // OkHttp's call that took too long is an InterruptedIOException with this message.
            boolean isLateCall = error instanceof InterruptedIOException && "timeout".equals(error.getMessage());
            boolean isLate = error instanceof HttpTimeoutException || error instanceof SocketTimeoutException || error instanceof TimeoutException;
            if (isLate || isLateCall) return new Failure("timeout", "no complete response in time");
            boolean isInterrupted = error instanceof InterruptedException || error instanceof InterruptedIOException || error instanceof ClosedByInterruptException;
            if (isInterrupted || error instanceof CancellationException) {
                Failure calledOff = new Failure("cancelled", "the request was cancelled");
                calledOff.isCalledOff = true;
                return calledOff;
            }
            if (error instanceof SSLHandshakeException) return new Failure("tls", error.getMessage(), false);
            if (error instanceof SSLException) return new Failure("tls", error.getMessage());
            if (error instanceof ConnectException || error instanceof UnknownHostException || error instanceof UnresolvedAddressException) {
                return new Failure("offline", error.getClass().getSimpleName(), false);
            }
            boolean isMalformed = error instanceof ProtocolException || error instanceof ZipException || error instanceof CharacterCodingException;
            if (isMalformed || error instanceof Json.Malformed || isUnreadable(error)) return new Failure("decode", error.getMessage());
            if (error instanceof SocketException || error instanceof IOException) return new Failure("offline", error.getMessage());
            return null;
        }

        /**
         * Whether {@code java.net.http} could not read a length or the address of a redirection. It has the exceptions of a wrong argument for
         * that, which only the code that throws them distinguishes from the program's own.
         */
        private static boolean isUnreadable(Throwable error) {
            for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                StackTraceElement[] frames = cause.getStackTrace();
                int at = 0;
                while (at < frames.length && frames[at].getClassName().startsWith("java.")) at++;
                if (at == frames.length) continue;
                String thrower = frames[at].getClassName();
                String message = String.valueOf(cause.getMessage());
                boolean isLength = thrower.startsWith("jdk.internal.net.http.")
                    && (at > 0 && frames[at - 1].getMethodName().equals("firstValueAsLong") || message.startsWith("fixed content-length: -"));
                if (isLength || thrower.equals("jdk.internal.net.http.RedirectFilter")) return true;
            }
            return false;
        }
    }

    /** The client does not have the operation, such as on this bank. */
    public static final class Unsupported extends Exception {
        private static final long serialVersionUID = 1;

        /** For an operation that the client does not have. */
        public Unsupported() {}
    }

    /** The client showed the user nothing, neither data nor an error. */
    public static final class Silent extends Exception {
        private static final long serialVersionUID = 1;

        /** For a step that showed nothing. */
        public Silent() {}
    }

    /**
     * An amount of minor units as a view has it.
     *
     * @param minorUnits such as 1230
     * @param currency such as {@code GBP}
     * @return such as {@code 12.30}
     */
    public static String major(long minorUnits, String currency) {
        return BigDecimal.valueOf(minorUnits, Currency.getInstance(currency).getDefaultFractionDigits()).toPlainString();
    }

    /**
     * The minor units of an amount, exactly.
     *
     * @param amount such as {@code 12.30}
     * @param currency such as {@code GBP}
     * @return such as 1230
     * @throws NumberFormatException if it is not an amount: digits, with a sign before or a point between them at most
     * @throws ArithmeticException if the amount has more digits than the currency
     */
    public static long minor(String amount, String currency) {
        if (!amount.matches("-?[0-9]{1,18}(\\.[0-9]{1,18})?")) throw new NumberFormatException("not an amount");
        return new BigDecimal(amount).movePointRight(Currency.getInstance(currency).getDefaultFractionDigits()).longValueExact();
    }

    /**
     * The day of an instant as a view has it; of a text that is a day, that day. A leap second, which only the end of June or December has,
     * is read as the second before it.
     *
     * @param text such as {@code 2026-01-12T23:30:00Z}
     * @param zone the case's time zone
     * @return such as {@code 2026-01-13}
     * @throws DateTimeException if it is neither
     */
    public static String day(String text, ZoneId zone) {
        if (text.length() == 10) return LocalDate.parse(text).toString();
        String instant = text.replaceFirst("^(.{10}).(\\d\\d:\\d\\d):60", "$1T$2:59");
        OffsetDateTime at = OffsetDateTime.parse(instant);
        if (!instant.equals(text) && text.startsWith(":60", 16) && !at.toInstant().toString().matches("\\d{4}-(06-30|12-31)T23:59.*")) {
            throw new DateTimeException("not a leap second");
        }
        return at.atZoneSameInstant(zone).toLocalDate().toString();
    }

    /** JSON as maps, lists, texts, {@link BigDecimal}, truth values and null: no number becomes a float. */
    public static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        /** A text that is not JSON. */
        public static final class Malformed extends RuntimeException {
            private static final long serialVersionUID = 1;

            private Malformed(String message) {
                super(message);
            }
        }

        /**
         * Reads one value.
         *
         * @param text all of it
         * @return the value
         * @throws Malformed if the text is not JSON
         */
        public static Object read(String text) {
            Json json = new Json(text);
            Object value = json.value(0);
            json.blanks();
            if (json.at < text.length()) throw json.malformed();
            return value;
        }

        /**
         * A value that must be an object.
         *
         * @param value such as one that {@link #read} returned
         * @return its fields
         * @throws Malformed if it is none
         */
        @SuppressWarnings("unchecked")
        public static Map<String, Object> object(Object value) {
            if (value instanceof Map<?, ?> object) return (Map<String, Object>) object;
            throw new Malformed("found no JSON object");
        }

        /**
         * Writes a value.
         *
         * @param value maps, lists, texts, numbers, truth values or null
         * @return its text
         * @throws IllegalArgumentException for any other value, such as an address or an instant, and for a number that JSON does not have
         */
        public static String text(Object value) {
            StringBuilder to = new StringBuilder();
            write(value, to);
            return to.toString();
        }

        private static void write(Object value, StringBuilder to) {
            if (value instanceof Map<?, ?> map) {
                to.append('{');
                for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator(); entries.hasNext();) {
                    Map.Entry<?, ?> entry = entries.next();
                    write(String.valueOf(entry.getKey()), to);
                    to.append(':');
                    write(entry.getValue(), to);
                    if (entries.hasNext()) to.append(',');
                }
                to.append('}');
            } else if (value instanceof Iterable<?> list) {
                to.append('[');
                for (Iterator<?> values = list.iterator(); values.hasNext();) {
                    write(values.next(), to);
                    if (values.hasNext()) to.append(',');
                }
                to.append(']');
            } else if (value instanceof CharSequence string) {
                to.append('"');
                for (char next : string.toString().toCharArray()) {
                    if (next == '"' || next == '\\') to.append('\\').append(next);
                    else if (next < ' ') to.append(String.format("\\u%04x", (int) next));
                    else to.append(next);
                }
                to.append('"');
            } else if (value == null || value instanceof Boolean || value instanceof Number number && Double.isFinite(number.doubleValue())) {
                to.append(value);
            } else {
                throw new IllegalArgumentException("found " + value + " of " + value.getClass().getName()
                    + ", expected a map, a list, a text, a number, a truth value or null");
            }
        }

        private Object value(int depth) {
            blanks();
            if (at == text.length() || depth > 200) throw malformed();
            return switch (text.charAt(at)) {
                case '{' -> fields(depth);
                case '[' -> elements(depth);
                case '"' -> string();
                case 't' -> word("true", true);
                case 'f' -> word("false", false);
                case 'n' -> word("null", null);
                default -> number();
            };
        }

        private Map<String, Object> fields(int depth) {
            Map<String, Object> fields = new LinkedHashMap<>();
            at++;
            blanks();
            if (skip('}')) return fields;
            do {
                blanks();
                String name = string();
                blanks();
                if (!skip(':')) throw malformed();
                if (fields.containsKey(name)) throw new Malformed("a name comes twice in one JSON object");
                fields.put(name, value(depth + 1));
                blanks();
            } while (skip(','));
            if (!skip('}')) throw malformed();
            return fields;
        }

        private List<Object> elements(int depth) {
            List<Object> elements = new ArrayList<>();
            at++;
            blanks();
            if (skip(']')) return elements;
            do {
                elements.add(value(depth + 1));
                blanks();
            } while (skip(','));
            if (!skip(']')) throw malformed();
            return elements;
        }

        private String string() {
            if (!skip('"')) throw malformed();
            StringBuilder found = new StringBuilder();
            while (at < text.length()) {
                char next = text.charAt(at++);
                if (next == '"') return found.toString();
                if (next < ' ') throw malformed();
                found.append(next == '\\' ? escaped() : next);
            }
            throw malformed();
        }

        private char escaped() {
            int kind = at < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(at++)) : -1;
            if (kind < 0) throw malformed();
            if (kind < 8) return "\"\\/\b\f\n\r\t".charAt(kind);
            String digits = text.substring(at, Math.min(at + 4, text.length()));
            if (!digits.matches("[0-9a-fA-F]{4}")) throw malformed();
            at += 4;
            return (char) Integer.parseInt(digits, 16);
        }

        private Object word(String word, Object value) {
            if (!text.startsWith(word, at)) throw malformed();
            at += word.length();
            return value;
        }

        private BigDecimal number() {
            int start = at;
            while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
            String number = text.substring(start, at);
            if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,4})?")) throw malformed();
            return new BigDecimal(number);
        }

        private boolean skip(char expected) {
            if (at == text.length() || text.charAt(at) != expected) return false;
            at++;
            return true;
        }

        private void blanks() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        }

        private Malformed malformed() {
            return new Malformed("no JSON from character " + (at + 1) + " on");
        }
    }
}
