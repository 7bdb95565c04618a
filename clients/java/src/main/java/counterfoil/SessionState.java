package counterfoil;

import java.net.URI;
import java.time.Instant;

/**
 * A session as it was when it was asked for.
 *
 * @param id its name
 * @param bank its bank
 * @param baseUrl the address for the client, without a slash at its end
 * @param port its own port; null if it has none
 * @param seed the seed of everything random, an unsigned number
 * @param now what its clock showed
 * @param exchanges the number of exchanges in its journal
 * @param rules the number of rules that were set
 * @param outage the outage that ran; null if none did
 */
public record SessionState(
    String id, String bank, URI baseUrl, Integer port, long seed, Instant now, long exchanges, long rules, String outage) {
    static SessionState of(Fields session) {
        return new SessionState(
            session.text("id"), session.text("bank"), URI.create(session.text("base_url")), session.optionalInt("port"),
            session.number("seed"), session.instant("now"), session.number("exchanges"), session.number("rules"),
            session.optionalText("outage"));
    }
}
