import counterfoil.driver.CounterfoilDriver;
import counterfoil.driver.CounterfoilDriver.Failure;
import counterfoil.driver.CounterfoilDriver.Json;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client of the bank {@code counterfoil} on java.net.http, as a driver: written from the documents, to find accusations that are wrong.
 * It keeps everything in memory and renews no token. It fails no case for a defect of its library.
 */
public final class JdkDriver {
    public static void main(String[] arguments) throws Exception {
        new CounterfoilDriver<>("jdk-client 1.0", Bank::new)
            .banks("counterfoil")
            .features("together", "parallel")
            .on("login", (bank, step) -> {
                bank.login(step.get("user"), step.get("password"));
                return Map.of("signed_in", true);
            })
            .on("logout", (bank, step) -> {
                bank.logout();
                return Map.of("signed_in", false);
            })
            .on("status", (bank, step) -> Map.of("signed_in", bank.session() != null, "prompts", bank.prompts()))
            .on("accounts", (bank, step) -> Map.of("accounts", rows(bank.get("/v1/accounts"), "accounts", JdkDriver::account)))
            .on("balance", (bank, step) -> balance(bank.get("/v1/accounts/" + encoded(step.get("account")))))
            .on("transactions", (bank, step) -> {
                Map<String, String> period = new LinkedHashMap<>();
                for (String name : List.of("from", "to")) if (step.get(name) != null) period.put(name, step.get(name));
                return Map.of("transactions", bank.transactions(step.get("account"), period), "complete", true);
            })
            .on("pay", (bank, step) -> {
                Map<String, Object> order = new LinkedHashMap<>(Map.of("from", step.get("from"), "to", step.get("to")));
                order.put("amount", Map.of("amount", step.get("amount"), "currency", step.get("currency")));
                return bank.pay(step.get("intent"), order);
            })
            .on("resume", (bank, step) -> bank.resume(step.get("intent")))
            .run(arguments);
    }

    /** A failure with what decides about another attempt. */
    private static final class Rejected extends Failure {
        private static final long serialVersionUID = 1;
        final boolean retryable;
        final double wait;
        final String problem;

        Rejected(String name, String detail, boolean retryable, double wait, String problem) {
            super(name, detail);
            this.retryable = retryable;
            this.wait = wait;
            this.problem = problem;
        }
    }

    /** Who is signed in. */
    private record Session(String user, String token) { }

    /** One payment order under one key. */
    private static final class Order {
        final String key = UUID.randomUUID().toString();
        final String body;
        boolean open;
        String rejected;
        Map<String, Object> result;

        Order(String body) {
            this.body = body;
        }
    }

    private interface Call<T> {
        T send() throws Exception;
    }

    private interface Reader {
        Map<String, Object> read(Map<String, Object> row);
    }

    /** The app's networking: one HttpClient for each case. */
    private static final class Bank {
        private final CounterfoilDriver.Case start;
        private final HttpClient http;
        private final Map<List<String>, Order> orders = new HashMap<>();
        private final Map<List<String>, Object> turns = new ConcurrentHashMap<>();
        private Session session;
        private int signIns;
        private int prompts;
        private int left = 20; // attempts that may be repeated while the bank fails

        Bank(CounterfoilDriver.Case start) {
            this.start = start;
            http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(start.connectLimit()).build();
        }

        synchronized Session session() {
            return session;
        }

        synchronized int prompts() {
            return prompts;
        }

        void login(String user, String password) throws Exception {
            int turn;
            synchronized (this) {
                turn = ++signIns;
                session = null;
            }
            String form = "grant_type=password&username=" + encoded(user) + "&password=" + encoded(password);
            Object token = once(call("/oauth/token").header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(form)))
                .get("access_token");
            if (!(token instanceof String text) || text.isEmpty()) throw new Failure("decode", "no token in the response");
            synchronized (this) {
                if (turn != signIns) throw new Failure("cancelled", "somebody signed in or out meanwhile");
                session = new Session(user, text);
            }
        }

        void logout() {
            Session last;
            synchronized (this) {
                last = session;
                session = null;
                signIns++;
            }
            if (last == null) return;
            try {
                String form = "token=" + encoded(last.token);
                once(call("/oauth/revoke").header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(form)));
            } catch (Exception unheard) {
                // The token is gone here, whatever the bank answers.
            }
        }

        private HttpRequest.Builder call(String path) {
            return HttpRequest.newBuilder(URI.create(start.baseUrl() + path)).header("Accept", "application/json");
        }

        /** Sends a request once, and returns the JSON of a 200 or 201. */
        private Map<String, Object> once(HttpRequest.Builder call) throws Exception {
            CompletableFuture<HttpResponse<byte[]>> sending = http.sendAsync(call.build(), BodyHandlers.ofByteArray());
            HttpResponse<byte[]> response;
            try {
                response = sending.get(start.totalLimit().toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | InterruptedException end) {
                sending.cancel(true);
                throw end;
            }
            if (response.statusCode() != 200 && response.statusCode() != 201) throw rejection(response);
            synchronized (this) {
                left = Math.min(20, left + 1);
            }
            return whole(response);
        }

        /** Sends with the token of that customer; the bank's rejection ends the sign-in. */
        private Map<String, Object> authorised(Session who, HttpRequest.Builder call) throws Exception {
            synchronized (this) {
                if (who == null || session != who) throw new Failure("unauthorized", "not signed in, or no longer", false);
            }
            try {
                return once(call.setHeader("Authorization", "Bearer " + who.token));
            } catch (Failure failure) {
                synchronized (this) {
                    if (failure.name().equals("unauthorized") && session == who) {
                        session = null;
                        prompts++;
                    }
                }
                throw failure;
            }
        }

        /** Repeats what may do better later: after the pause that the bank asks for, or a growing one of the client's own, with jitter. */
        private <T> T patiently(Call<T> call) throws Exception {
            for (int attempt = 1; ; attempt++) {
                Exception failed;
                try {
                    return call.send();
                } catch (Exception error) {
                    failed = error;
                }
                Failure failure = Failure.of(failed);
                if (failure == null) throw failed;
                boolean again = failed instanceof Rejected rejected ? rejected.retryable : List.of("offline", "timeout").contains(failure.name());
                double asked = failed instanceof Rejected rejected ? rejected.wait : 0;
                synchronized (this) {
                    if (!again || attempt == 3 || asked > 4 || left == 0) throw failed;
                    left--;
                }
                double base = start.backoff() == null ? 0.2 : start.backoff().toMillis() / 1000.0;
                double own = base * Math.pow(2, attempt - 1) * ThreadLocalRandom.current().nextDouble(0.5, 1);
                Thread.sleep((long) (1000 * Math.max(own, asked == 0 ? 0 : asked + 0.05)));
            }
        }

        Map<String, Object> get(String path) throws Exception {
            Session who = session();
            Map<String, Object> found = patiently(() -> authorised(who, call(path).GET()));
            if (session() != who) throw new Failure("unauthorized", "somebody signed in or out meanwhile");
            return found;
        }

        List<Map<String, Object>> transactions(String account, Map<String, String> period) throws Exception {
            for (boolean last = false; ; last = true) {
                List<Object> found = new ArrayList<>();
                Set<String> cursors = new HashSet<>();
                String cursor = null;
                try {
                    while (cursors.size() < 1000) {
                        Map<String, String> query = new LinkedHashMap<>(period);
                        if (cursor != null) query.put("cursor", cursor);
                        List<String> pairs = query.entrySet().stream().map(pair -> pair.getKey() + "=" + encoded(pair.getValue())).toList();
                        Map<String, Object> page = get("/v1/accounts/" + encoded(account) + "/transactions?" + String.join("&", pairs));
                        found.addAll(list(page, "transactions"));
                        Object next = page.get("next_cursor");
                        if (next == null) return shown(found, start);
                        if (!(next instanceof String text) || text.isEmpty() || !cursors.add(text)) {
                            throw new Failure("decode", "a cursor that leads nowhere");
                        }
                        cursor = text;
                    }
                    throw new Failure("too_large", "more than 1,000 pages");
                } catch (Rejected rejected) {
                    if (!"cursor-expired".equals(rejected.problem) || cursor == null || last) throw rejected;
                }
            }
        }

        Map<String, Object> pay(String intent, Map<String, Object> wanted) throws Exception {
            Session who = signedIn();
            List<String> name = List.of(who.user, intent);
            synchronized (turns.computeIfAbsent(name, none -> new Object())) {
                String body = Json.text(wanted);
                Order order;
                synchronized (this) {
                    order = orders.get(name);
                    if (order != null && !order.body.equals(body)) {
                        if (order.open || order.result != null) throw new Failure("outcome_unknown", "this payment is open with another amount");
                        order = null; // rejected, and now corrected: another payment
                    }
                    if (order == null) orders.put(name, order = new Order(body));
                }
                return settle(who, order);
            }
        }

        Map<String, Object> resume(String intent) throws Exception {
            Session who = signedIn();
            List<String> name = List.of(who.user, intent);
            synchronized (turns.computeIfAbsent(name, none -> new Object())) {
                Order order;
                synchronized (this) {
                    order = orders.get(name);
                }
                if (order == null) throw new Failure("nothing_to_do", "no such payment");
                return settle(who, order);
            }
        }

        private Session signedIn() throws Failure {
            Session who = session();
            if (who == null) throw new Failure("unauthorized", "not signed in", false);
            return who;
        }

        /** Sends the payment under its key until there is a final answer. */
        private Map<String, Object> settle(Session who, Order order) throws Exception {
            if (order.result != null) return order.result;
            if (order.rejected != null) throw new Failure("rejected", order.rejected);
            try {
                return patiently(() -> attempt(who, order));
            } catch (Exception error) {
                Failure failure = Failure.of(error);
                if (failure != null && order.open) throw new Failure("outcome_unknown", failure.getMessage());
                throw error;
            }
        }

        private Map<String, Object> attempt(Session who, Order order) throws Exception {
            boolean wasOpen = order.open;
            order.open = true;
            try {
                HttpRequest.Builder call = call("/v1/payments").header("Content-Type", "application/json").header("Idempotency-Key", order.key);
                Map<String, Object> found = authorised(who, call.POST(BodyPublishers.ofString(order.body)));
                Object state = found.get("state");
                if ("rejected".equals(state)) throw new Rejected("rejected", "the bank rejected the payment", false, 0, "rejected");
                if (!Set.of("accepted", "settled").contains(String.valueOf(state)) || !(found.get("id") instanceof String)) {
                    throw new Rejected("decode", "no payment in the response", true, 0, null);
                }
                order.open = false;
                return order.result = Map.of("payment", found.get("id"), "state", state);
            } catch (Rejected rejected) {
                boolean inFlight = rejected.name().equals("conflict") && (rejected.problem == null || rejected.problem.equals("key-in-flight"));
                boolean isFinal = List.of("rejected", "not_found").contains(rejected.name()) || rejected.name().equals("conflict") && !inFlight;
                if (isFinal && (!wasOpen || rejected.problem != null && !rejected.problem.equals("key-mismatch"))) {
                    order.open = false;
                    order.rejected = rejected.getMessage();
                    throw new Failure("rejected", rejected.getMessage());
                }
                if (Set.of("unauthorized", "forbidden", "consent_expired", "rate_limited").contains(rejected.name())) order.open = wasOpen;
                if (inFlight) throw new Rejected("conflict", rejected.getMessage(), true, rejected.wait, rejected.problem);
                throw rejected;
            } catch (Failure failure) {
                if (failure.name().equals("unauthorized")) order.open = wasOpen;
                if (failure.name().equals("decode")) throw new Rejected("decode", failure.getMessage(), true, 0, null);
                throw failure;
            } catch (java.net.ConnectException unsent) {
                order.open = wasOpen;
                throw unsent;
            }
        }
    }

    /** The meaning of a status other than success. */
    private static Rejected rejection(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        Map<String, Object> body;
        try {
            body = whole(response);
        } catch (Exception unreadable) {
            body = Map.of();
        }
        Object kind = body.get("type") instanceof String type && type.startsWith("urn:") ? type.substring(type.lastIndexOf(':') + 1) : body.get("error");
        String problem = kind instanceof String word ? word : null;
        Object said = body.get("detail") != null ? body.get("detail") : body.getOrDefault("error_description", problem);
        String detail = "status " + status + ": " + said;
        String name = status == 401 || List.of("token-rejected", "token-expired", "invalid_token", "invalid_grant").contains(Objects.toString(problem))
            ? "unauthorized" : "consent-expired".equals(problem) ? "consent_expired" : Failure.ofStatus(status).name();
        boolean again = status == 429 || status >= 500 && name.equals("unavailable");
        return new Rejected(name, detail, again, retryAfter(response.headers()), problem);
    }

    /** Seconds, from a number or a date by the bank's own clock; 0 without one that can be read. */
    private static double retryAfter(HttpHeaders headers) {
        String text = headers.firstValue("Retry-After").orElse("").strip();
        if (text.matches("[0-9]+")) return Double.parseDouble(text);
        try {
            Instant until = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            String date = headers.firstValue("Date").orElse("");
            Instant now = date.isEmpty() ? Instant.now() : ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            return Math.max(0, Duration.between(now, until).toMillis() / 1000.0);
        } catch (DateTimeException unreadable) {
            return 0;
        }
    }

    /** An object of JSON, in UTF-8 to its last byte. */
    private static Map<String, Object> whole(HttpResponse<byte[]> response) throws Failure {
        String type = response.headers().firstValue("Content-Type").orElse("").split(";")[0].strip().toLowerCase();
        if (!type.equals("application/json") && !type.endsWith("+json")) throw new Failure("decode", "the body is " + type + ", not JSON");
        if (response.body().length > 8 << 20) throw new Failure("too_large", "more than 8 MiB");
        try {
            return Json.object(Json.read(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(response.body())).toString()));
        } catch (CharacterCodingException | Json.Malformed unreadable) {
            throw new Failure("decode", unreadable.getMessage());
        }
    }

    private static List<Object> list(Map<String, Object> found, String name) throws Failure {
        if (!(found.get(name) instanceof List<?> list)) throw new Failure("decode", "found no list " + name);
        return new ArrayList<>(list);
    }

    /** The rows of a list that can be read; if there are rows and none can be read, that is an error. */
    private static List<Map<String, Object>> rows(Map<String, Object> found, String name, Reader reader) throws Failure {
        List<Map<String, Object>> readable = new ArrayList<>();
        List<Object> all = list(found, name);
        for (Object row : all) {
            try {
                readable.add(reader.read(Json.object(row)));
            } catch (RuntimeException unreadable) {
                // Left out; the others are shown.
            }
        }
        if (readable.isEmpty() && !all.isEmpty()) throw new Failure("decode", "no row of " + name + " can be read");
        return readable;
    }

    private static Map<String, Object> account(Map<String, Object> row) {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (String name : List.of("id", "name", "currency")) shown.put(name, text(row.get(name)));
        if (row.get("balance") != null) shown.put("balance", money(row.get("balance")));
        return shown;
    }

    private static Map<String, Object> balance(Map<String, Object> found) throws Failure {
        try {
            return Map.of("balance", money(found.get("balance")), "currency", Json.object(found.get("balance")).get("currency"));
        } catch (RuntimeException unreadable) {
            throw new Failure("decode", "no balance in the response");
        }
    }

    /** The rows to show: the newest of each id, the latest first, without what a booked row replaces. */
    private static List<Map<String, Object>> shown(List<Object> found, CounterfoilDriver.Case start) throws Failure {
        Set<Object> replaced = new HashSet<>();
        Map<String, Map<String, Object>> newest = new LinkedHashMap<>();
        for (Map<String, Object> row : rows(Map.of("found", found), "found", row -> {
            Map<String, Object> view = new LinkedHashMap<>();
            String amount = money(row.get("amount")), direction = text(row.get("direction"));
            if (!Set.of("credit", "debit").contains(direction)) throw new IllegalArgumentException("neither credit nor debit");
            view.put("at", OffsetDateTime.parse(text(row.get("booked_at")).replaceFirst(":60", ":59")).toInstant());
            view.put("replaces", row.get("replaces"));
            view.put("id", text(row.get("id")));
            view.put("date", CounterfoilDriver.day(text(row.get("booked_at")), start.timeZone()));
            view.put("description", row.get("description") == null ? "" : text(row.get("description")));
            view.put("amount", direction.equals("debit") && new BigDecimal(amount).signum() != 0 ? "-" + amount : amount);
            view.put("currency", Json.object(row.get("amount")).get("currency"));
            if (Set.of("pending", "booked").contains(String.valueOf(row.get("status")))) view.put("pending", row.get("status").equals("pending"));
            return view;
        })) {
            replaced.add(row.get("replaces"));
            Map<String, Object> other = newest.get((String) row.get("id"));
            if (other == null || !((Instant) row.get("at")).isBefore((Instant) other.get("at"))) {
                newest.remove((String) row.get("id"));
                newest.put((String) row.get("id"), row);
            }
        }
        return newest.values().stream()
            .filter(row -> !(Boolean.TRUE.equals(row.get("pending")) && replaced.contains(row.get("id"))))
            .sorted(Comparator.comparing((Map<String, Object> row) -> (Instant) row.get("at")).reversed())
            .peek(row -> row.keySet().removeAll(Set.of("at", "replaces")))
            .toList();
    }

    private static String money(Object amount) {
        Map<String, Object> money = Json.object(amount);
        String currency = text(money.get("currency"));
        return CounterfoilDriver.major(CounterfoilDriver.minor(text(money.get("amount")), currency), currency);
    }

    private static String text(Object value) {
        if (value instanceof String text) return text;
        throw new IllegalArgumentException("found no text");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
