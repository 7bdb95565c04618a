package counterfoil;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An exchange in the journal.
 *
 * @param seq its number in the session, from 1
 * @param at the time of the request, by the session clock
 * @param method the request's method; null if it was not a request
 * @param path the request's path as sent, without the session's prefix; null if it was not a request
 * @param query the request's query; null without one
 * @param operation the operation that it matched; null if it matched none
 * @param roles the operation's roles, such as {@code pay}
 * @param customer the customer whose token it had; null without one
 * @param token the token's name, such as {@code token#1}; null without one
 * @param key the idempotency key; null without one
 * @param status the response's status; null if it has none, or none yet
 * @param committed whether the operation was executed
 * @param replayed whether the response is that of an earlier request with the same key
 * @param fault the fault that was applied to it; null if none was
 * @param ended whether the response was sent, or the fault was applied
 * @param json the exchange as the admin API has it
 */
public record Exchange(
    long seq, Instant at, String method, String path, String query, String operation, List<String> roles, String customer, String token,
    String key, Integer status, boolean committed, boolean replayed, Fault fault, boolean ended, Map<String, Object> json) {
    /**
     * A fault that was applied to an exchange.
     *
     * @param rule the name of its rule
     * @param kind such as {@code hang}
     * @param applied whether it could be applied
     */
    public record Fault(String rule, String kind, boolean applied) {
        static Fault of(Fields fault) {
            return new Fault(fault.optionalText("rule"), fault.text("kind"), fault.optionalTruth("applied"));
        }
    }

    static Exchange of(Fields entry) {
        Fields fault = entry.optionalObject("fault");
        return new Exchange(
            entry.number("seq"), entry.instant("at"), entry.optionalText("method"), entry.optionalText("path"), entry.optionalText("query"),
            entry.optionalText("operation"), entry.texts("roles"), entry.optionalText("customer"), entry.optionalText("token"),
            entry.optionalText("key"), entry.optionalInt("status"), entry.optionalTruth("committed"), entry.optionalTruth("replayed"),
            fault == null ? null : Fault.of(fault), entry.optionalNumber("duration_us") != null, entry.map());
    }

    /**
     * The request's body as it was stored: at most 8 KiB, secrets removed.
     *
     * @return empty if there is none
     */
    public String requestBody() {
        return json.get("request_body") instanceof String body ? body : "";
    }

    /**
     * The response's body, as it was stored.
     *
     * @return empty if there is none
     */
    public String responseBody() {
        return json.get("reply_body") instanceof String body ? body : "";
    }

    /**
     * A header of the request.
     *
     * @param name in any case
     * @return the first of that name
     */
    public Optional<String> requestHeader(String name) {
        return header("request_headers", name);
    }

    /**
     * A header of the response.
     *
     * @param name in any case
     * @return the first of that name
     */
    public Optional<String> responseHeader(String name) {
        return header("reply_headers", name);
    }

    private Optional<String> header(String list, String name) {
        if (!(json.get(list) instanceof List<?> headers)) return Optional.empty();
        for (Object header : headers) {
            if (header instanceof List<?> pair && pair.size() == 2 && name.equalsIgnoreCase(String.valueOf(pair.get(0)))) {
                return Optional.of(String.valueOf(pair.get(1)));
            }
        }
        return Optional.empty();
    }

    /** One line: number, request, status, token, key, fault. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder("#" + seq + " ");
        line.append(method == null ? "no request" : method + " " + path + (query == null ? "" : "?" + query)).append(" → ");
        line.append(status != null ? status : ended ? "no response" : "in progress");
        if (status != null && !ended) line.append(", in progress");
        if (token != null) line.append(", ").append(token);
        if (key != null) line.append(", key ").append(key);
        if (replayed) line.append(", replayed");
        if (fault != null) line.append(", ").append(fault.kind()).append(" by ").append(fault.rule());
        return line.toString();
    }
}
