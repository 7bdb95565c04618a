package counterfoil;

import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The session at the time of the call.
 *
 * @param id its name
 * @param bank its bank
 * @param baseUrl the address for the client, without a slash at its end
 * @param port its own port; null if it has none
 * @param seed the seed for all random values, an unsigned number
 * @param now what its clock showed
 * @param exchanges the number of exchanges in its journal
 * @param rules the number of rules that were set
 * @param outage the outage that ran; null if none did
 * @param labels its labels, such as {@code {test=app.PaymentTest.paysOnce}}
 */
public record SessionState(
    String id, String bank, URI baseUrl, Integer port, long seed, Instant now, long exchanges, long rules, String outage,
    Map<String, String> labels) {
    static SessionState of(Fields session) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (session.map().get("labels") instanceof Map<?, ?> all) all.forEach((name, text) -> labels.put(name.toString(), text.toString()));
        return new SessionState(
            session.text("id"), session.text("bank"), URI.create(session.text("base_url")), session.optionalInt("port"),
            session.number("seed"), session.instant("now"), session.number("exchanges"), session.number("rules"),
            session.optionalText("outage"), Map.copyOf(labels));
    }
}
