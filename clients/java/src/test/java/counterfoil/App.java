package counterfoil;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

/** A small app of the bank `counterfoil`, to have something to test: it pays, and asks again with its key after a lost response. */
final class App {
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI baseUrl;
    private String token;

    App(URI baseUrl, String token) {
        this.baseUrl = baseUrl;
        this.token = token;
    }

    /** Reads the accounts, and returns the status. A rejected token is forgotten. */
    int accounts() throws IOException, InterruptedException {
        int status = send(request("/v1/accounts").GET());
        if (status == 401) token = null;
        return status;
    }

    /** Reads the accounts, and returns the status. A rejected token is kept: the mistake that the judge finds. */
    int accountsWithoutCare() throws IOException, InterruptedException {
        return send(request("/v1/accounts").GET());
    }

    /** Opens the sign-in page, and returns the status. */
    int signInPage() throws IOException, InterruptedException {
        return send(request("/oauth/authorize?response_type=code&client_id=web&state=s1").GET());
    }

    /** Reads one page of the cash machines, and returns the status. */
    int atms(int page) throws IOException, InterruptedException {
        return send(request("/v1/atms?page=" + page).GET());
    }

    /** Pays, and returns the status. */
    int pay(String amount) throws IOException, InterruptedException {
        String body = "{\"from\":\"ava-gbp\",\"to\":\"payee-lark\",\"amount\":{\"amount\":\"" + amount + "\",\"currency\":\"GBP\"}}";
        HttpRequest.Builder request = request("/v1/payments").header("Idempotency-Key", UUID.randomUUID().toString())
            .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        try {
            return send(request);
        } catch (IOException lost) {
            return send(request);
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(baseUrl + path)).timeout(Duration.ofSeconds(120));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private int send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
    }
}
