package counterfoil;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The calls of the admin API over HTTP/1.1, also with TLS: JSON there and back, a problem document as an exception. May be used by several threads. */
final class Calls {
    /** The longest time for a whole answer, beside a wait that the call itself asks for. */
    private static final Duration LONGEST = Duration.ofSeconds(30);
    /** The title of the error of an address that is none. */
    static final String NO_ADDRESS = "No address";
    /** The title of the error of a token that cannot be sent. */
    static final String NO_TOKEN = "No token";
    /** The title of the error of a name that no object has. */
    static final String NO_NAME = "No name";

    private final HttpClient http = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .proxy(HttpClient.Builder.NO_PROXY)
        // A redirect must not get the token.
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(Duration.ofSeconds(10))
        .build();
    private final String address;
    private final String token;
    private final Duration longest;

    /**
     * The calls to one server.
     *
     * @param admin the {@link #address} of its admin API
     * @param token sent as a bearer token; none if null or empty
     */
    Calls(URI admin, String token) {
        this(admin, token, LONGEST);
    }

    /** The calls to one server, each of which waits at most that long for its answer. */
    Calls(URI admin, String token, Duration longest) {
        this.longest = longest;
        address = admin + "/__admin";
        this.token = token(token);
    }

    /**
     * A token that can be sent; empty for none.
     *
     * @throws CounterfoilException if it has other characters, which the message does not repeat, as that of {@code java.net.http} would
     */
    static String token(String token) {
        if (token == null || token.matches("[ -~]*")) return token == null ? "" : token;
        throw CounterfoilException.local(
            "the admin token", NO_TOKEN, "found a line break or a character beyond ASCII, expected one line of ASCII text", null);
    }

    /**
     * The address of an admin API, with its path as it is written but without slashes at its end.
     *
     * @throws CounterfoilException if it is not of http or https, or has a user, which the message does not repeat
     */
    static URI address(String admin) {
        try {
            URI uri = new URI(admin);
            boolean isCalled = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            boolean isWhole = uri.getHost() != null && uri.getPort() <= 65_535 && uri.toASCIIString().equals(admin);
            if (isCalled && isWhole && !admin.matches(".*[?#@].*")) return URI.create(admin.replaceAll("/+$", ""));
        } catch (URISyntaxException error) {
            // Its message has the address, and with it a user.
        }
        String shown = admin.replaceFirst("(?is)^([a-z][a-z0-9+.-]*://)?.*@", "$1…@");
        throw CounterfoilException.local(shown, NO_ADDRESS, "expected one such as http://127.0.0.1:8081, without user, query and fragment", null);
    }

    /** Reads what is at that path. */
    Fields get(String path) {
        return answer("GET", path, null, Duration.ZERO);
    }

    /** Reads what is at that path, with a call that itself waits for at most that time. */
    Fields get(String path, Duration wait) {
        return answer("GET", path, null, wait);
    }

    /** Calls with a body; null for none. */
    Fields send(String method, String path, Map<String, ?> body) {
        return answer(method, path, body, Duration.ZERO);
    }

    /** A call whose response has no body. */
    void act(String method, String path) {
        text(method, path, null, Duration.ZERO);
    }

    /** A call with a body, whose response has none. */
    void act(String method, String path, Map<String, ?> body) {
        text(method, path, body, Duration.ZERO);
    }

    /** The answer as it stands. */
    String text(String path) {
        return text("GET", path, null, Duration.ZERO);
    }

    private Fields answer(String method, String path, Map<String, ?> body, Duration wait) {
        String text = text(method, path, body, wait);
        try {
            return Fields.of(method + " " + path, Json.read(text));
        } catch (IllegalArgumentException error) {
            throw CounterfoilException.local(method + " " + address + path, "Unexpected response", error.getMessage(), error);
        }
    }

    private String text(String method, String path, Map<String, ?> body, Duration wait) {
        String what = method + " " + address + path;
        String flaw = flaw(path);
        if (flaw != null) {
            throw CounterfoilException.local(what, NO_NAME, "found " + flaw + ", expected the id of a session, a rule or the like", null);
        }
        Duration limit = longest.plus(wait);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
        request.method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(JsonText.of(body)));
        if (body != null) request.header("Content-Type", "application/json");
        if (!token.isEmpty()) request.header("Authorization", "Bearer " + token);
        // Not the request's own timeout: that ends with the head, and a body may never come.
        CompletableFuture<HttpResponse<String>> sent =
            http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        try {
            HttpResponse<String> response = sent.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (response.statusCode() / 100 == 2) return response.body();
            throw problem(method + " " + path, response.statusCode(), response.body());
        } catch (ExecutionException error) {
            throw CounterfoilException.local(what, "No response", "expected a server there: " + error.getCause(), error.getCause());
        } catch (TimeoutException error) {
            sent.cancel(true);
            throw CounterfoilException.local(what, "No response", "found no whole response after " + limit.toMillis() + " ms, expected one", error);
        } catch (InterruptedException error) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw CounterfoilException.local(what, "Interrupted", "the thread was interrupted while it waited for the response", error);
        }
    }

    /** The exception for a rejection, also if its body is not a problem document. */
    private static CounterfoilException problem(String what, int status, String body) {
        try {
            Fields problem = Fields.of(what, Json.read(body));
            List<String> errors = problem.objects("errors", error -> error.text("detail"));
            return new CounterfoilException(what, status, problem.text("title"), problem.text("detail"), errors, null);
        } catch (IllegalArgumentException | CounterfoilException error) {
            return new CounterfoilException(what, status, "Unexpected response", "found no problem document but: " + body, List.of(), error);
        }
    }

    /** What is wrong with the names in a path; null if nothing is. A list would answer for an empty name, and a proxy removes dots. */
    private static String flaw(String path) {
        for (String name : path.replaceFirst("\\?.*", "").substring(1).split("/", -1)) {
            if (name.isEmpty()) return "an empty name";
            if (name.equals(".") || name.equals("..")) return "the name " + name;
        }
        return null;
    }

    /** One piece of a path or a value of a query, percent-encoded: the ids of rules, tokens and sessions are opaque. */
    static String encoded(String piece) {
        return URLEncoder.encode(piece, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
    }

    /** A query, with its question mark; empty without parameters. Values that are null are left out. */
    static String query(Map<String, ?> parameters) {
        StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
        parameters.forEach((name, value) -> {
            if (value != null) query.add(name + "=" + encoded(String.valueOf(value)));
        });
        return query.toString();
    }
}
