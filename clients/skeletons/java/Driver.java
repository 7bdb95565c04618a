import counterfoil.driver.CounterfoilDriver;
import counterfoil.driver.CounterfoilDriver.Failure;
import counterfoil.driver.CounterfoilDriver.Json;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A driver: Counterfoil operates your client through it. README.md beside it has the commands. */
public final class Driver {
    public static void main(String[] arguments) throws Exception {
        new CounterfoilDriver<>("my-client 1.0", Client::new)
            .banks("counterfoil")
            .on("login", (client, step) -> {
                client.login(step.get("user"), step.get("password"));
                return Map.of("signed_in", true);
            })
            .on("balance", (client, step) -> {
                Map<String, Object> balance = client.balance(step.get("account"));
                return Map.of("balance", text(balance, "amount"), "currency", text(balance, "currency"));
            })
            .on("pay", (client, step) -> {
                Map<String, String> amount = Map.of("amount", step.get("amount"), "currency", step.get("currency"));
                return client.pay(step.get("intent"), Map.of("from", step.get("from"), "to", step.get("to"), "amount", amount));
            })
            .run(arguments);
    }

    // The text of that name; a response without it is not what was agreed.
    private static String text(Map<String, Object> response, String name) throws Failure {
        if (response.get(name) instanceof String text) return text;
        throw new Failure("decode", "no text `" + name + "` in the response");
    }

    // What the user is shown of a payment that the bank has accepted.
    private static Map<String, Object> paid(Map<String, Object> response) throws Failure {
        String state = text(response, "state");
        if (!List.of("accepted", "pending-authorisation", "settled").contains(state)) {
            throw new Failure("rejected".equals(state) ? "rejected" : "decode", "no payment in the response");
        }
        return Map.of("payment", text(response, "id"), "state", state);
    }

    /** Signs in, reads a balance and pays at the bank `counterfoil`. Your own client takes its place. */
    private static final class Client {
        private final CounterfoilDriver.Case start;
        private final HttpClient http;
        private final Map<String, List<String>> payments = new HashMap<>();
        private final Map<String, Map<String, Object>> receipts = new HashMap<>();
        private String user;
        private String token;

        Client(CounterfoilDriver.Case start) {
            this.start = start;
            http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(start.connectLimit()).build();
        }

        void login(String user, String password) throws Exception {
            String form = "grant_type=password&username=" + encoded(user) + "&password=" + encoded(password);
            HttpRequest.Builder call = call("/oauth/token").header("Content-Type", "application/x-www-form-urlencoded");
            this.user = null;
            token = null;
            token = text(send(call.POST(BodyPublishers.ofString(form))), "access_token");
            this.user = user;
        }

        Map<String, Object> balance(String account) throws Exception {
            return Json.object(send(signedIn("/v1/accounts/" + encoded(account))).get("balance"));
        }

        Map<String, Object> pay(String intent, Map<String, Object> order) throws Exception {
            String name = user + " " + intent; // one payment order of one customer, one key
            if (receipts.containsKey(name)) return receipts.get(name); // paid: not sent again, because the bank may answer otherwise now
            List<String> payment = payments.computeIfAbsent(name, none -> List.of(UUID.randomUUID().toString(), Json.text(order)));
            HttpRequest.Builder call = signedIn("/v1/payments").header("Content-Type", "application/json").header("Idempotency-Key", payment.get(0));
            try {
                Map<String, Object> receipt = paid(send(call.POST(BodyPublishers.ofString(payment.get(1)))));
                receipts.put(name, receipt);
                payments.remove(name);
                return receipt;
            } catch (Failure failure) {
                // Rejected: the payment order, corrected, is another payment.
                if (List.of("rejected", "not_found").contains(failure.name())) payments.remove(name);
                throw failure;
            }
        }

        private HttpRequest.Builder call(String path) {
            return HttpRequest.newBuilder(URI.create(start.baseUrl() + path));
        }

        private HttpRequest.Builder signedIn(String path) throws Failure {
            if (token == null) throw new Failure("unauthorized", "not signed in", false);
            return call(path).header("Authorization", "Bearer " + token);
        }

        private Map<String, Object> send(HttpRequest.Builder call) throws Exception {
            // HttpRequest.timeout ends with the response's head; this bounds its body too.
            CompletableFuture<HttpResponse<String>> sending = http.sendAsync(call.build(), BodyHandlers.ofString());
            HttpResponse<String> response;
            try {
                response = sending.get(start.totalLimit().toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | InterruptedException end) {
                sending.cancel(true);
                throw end;
            }
            if (response.statusCode() == 401) token = null;
            if (response.statusCode() != 200 && response.statusCode() != 201) throw Failure.ofStatus(response.statusCode(), reason(response.body()));
            return Json.object(Json.read(response.body())); // the kit knows the errors of java.net.http and of JSON
        }

        // The bank's own words, which the user is shown.
        private static String reason(String body) {
            try {
                Map<String, Object> problem = Json.object(Json.read(body));
                return String.valueOf(problem.getOrDefault("detail", problem.get("error_description")));
            } catch (RuntimeException unreadable) {
                return "no reason given";
            }
        }

        private static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }
    }
}
