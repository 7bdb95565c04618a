package counterfoil;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A session's journal: its exchanges, also those that are in progress or matched no operation. */
public final class Journal {
    /** The longest wait of one call; the server ends longer ones. */
    private static final Duration ONE_WAIT = Duration.ofSeconds(20);
    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);
    /** The title of the exception of {@link #settled}. */
    static final String IN_PROGRESS = "Exchanges in progress";
    /** The number of entries in one response. */
    private static final int PAGE = 500;

    private final Calls calls;
    private final String path;

    Journal(Calls calls, String path) {
        this.calls = calls;
        this.path = path;
    }

    /**
     * The exchanges so far.
     *
     * @return oldest first, at most the last 10,000
     */
    public List<Exchange> entries() {
        return entries(Map.of());
    }

    /**
     * The newest exchanges.
     *
     * @param number at most that many
     * @return oldest first
     */
    public List<Exchange> last(int number) {
        return entries(Map.of("last", number));
    }

    /**
     * The exchanges that a query of the admin API selects.
     *
     * @param query {@code since}, {@code before}, {@code limit}, {@code last}, {@code operation}, {@code status}
     * @return oldest first
     */
    public List<Exchange> entries(Map<String, ?> query) {
        return calls.get(path + Calls.query(query)).objects("entries", Exchange::of);
    }

    /**
     * One exchange; its {@link Exchange#json} contains the curl command that sends it again, and the closest operations.
     *
     * @param seq its number
     * @return the exchange
     */
    public Exchange exchange(long seq) {
        return Exchange.of(calls.get(path + "/" + seq));
    }

    /**
     * The requests that matched no operation; {@link Exchange#json} has the closest operations.
     *
     * @return oldest first
     */
    public List<Exchange> unmatched() {
        return calls.get(path + "/unmatched").objects("entries", Exchange::of);
    }

    /**
     * The journal as an HTTP archive.
     *
     * @return its JSON text
     */
    public String har() {
        return calls.text(path + "/har");
    }

    /** Deletes the entries so far. The numbers continue. */
    public void clear() {
        calls.act("DELETE", path);
    }

    /**
     * Waits for an exchange, at most 30 seconds.
     *
     * @param wanted returns true for the exchange to wait for
     * @return the first in the journal that is wanted; at once if it is there
     * @throws CounterfoilException with the last lines of the journal, if none came in time
     */
    public Exchange waitForExchange(Predicate<Exchange> wanted) {
        return waitForExchange(wanted, DEFAULT_LIMIT);
    }

    /**
     * Waits for an exchange.
     *
     * <p>It may be in progress, without a status: check {@link Exchange#ended} if the response matters.
     *
     * @param wanted returns true for the exchange to wait for; called again when an exchange in progress has changed
     * @param limit the longest wait, in real time
     * @return the first in the journal that is wanted; at once if it is there
     * @throws CounterfoilException with the last lines of the journal, if none came in time
     */
    public Exchange waitForExchange(Predicate<Exchange> wanted, Duration limit) {
        Search search = new Search(wanted);
        return search.within(limit).orElseThrow(
            () -> CounterfoilException.local(
                "waitForExchange", "No matching request", "found none after " + Durations.text(limit) + ", expected one; " + lines(20), null));
    }

    /**
     * Waits until no exchange is in progress, at most 30 seconds: a client may receive its response before the journal contains it.
     *
     * @throws CounterfoilException if exchanges are in progress then, with their lines
     */
    public void settled() {
        settled(DEFAULT_LIMIT);
    }

    /**
     * Waits until no exchange is in progress.
     *
     * @param limit the longest wait, in real time
     * @throws CounterfoilException if exchanges are in progress then, with their lines
     */
    public void settled(Duration limit) {
        // A search for what is never there ends early when nothing is in progress.
        Search search = new Search(exchange -> false);
        search.stopWhenSettled = true;
        search.within(limit);
        if (!search.underWay.isEmpty()) {
            throw CounterfoilException.local(
                "settled", IN_PROGRESS, "found some after " + Durations.text(limit) + ", expected none:" + text(search.underWay), null);
        }
    }

    /**
     * The newest exchanges as text, for a failure's message.
     *
     * @param number at most that many
     * @return a line each
     */
    public String lines(int number) {
        List<Exchange> last = last(number);
        return last.isEmpty() ? "the bank received no request" : "the end of the journal:" + text(last) + nearest(last);
    }

    /** A line for each request among these that matched no operation of the bank, with the operation nearest to it. */
    private String nearest(List<Exchange> shown) {
        if (shown.stream().allMatch(exchange -> exchange.operation() != null || exchange.status() == null)) return "";
        List<Long> numbers = shown.stream().map(Exchange::seq).toList();
        StringBuilder text = new StringBuilder();
        for (Exchange exchange : unmatched()) {
            if (!numbers.contains(exchange.seq())) continue;
            if (!(exchange.json().get("nearest") instanceof List<?> misses) || misses.isEmpty() || !(misses.get(0) instanceof Map<?, ?> near)) continue;
            text.append("\n  #").append(exchange.seq()).append(" matched no operation of the bank; the nearest is ").append(near.get("wants"));
            if (near.get("reasons") instanceof List<?> reasons) {
                text.append(": ").append(reasons.stream().map(String::valueOf).collect(Collectors.joining("; ")));
            }
        }
        return text.toString();
    }

    private static String text(List<Exchange> exchanges) {
        return exchanges.stream().map(exchange -> "\n  " + exchange).collect(Collectors.joining());
    }

    /** Reads the journal on until an exchange is wanted. Those that are in progress are read again, since they may change. */
    private final class Search {
        private final Predicate<Exchange> wanted;
        private boolean stopWhenSettled;
        private List<Exchange> underWay = List.of();
        /** All exchanges up to this number have ended, and do not match. */
        private long settled;
        private long revision = -1;

        private Search(Predicate<Exchange> wanted) {
            this.wanted = wanted;
        }

        private Optional<Exchange> within(Duration limit) {
            long end = System.nanoTime() + limit.toNanos();
            while (true) {
                long left = Math.max(0, end - System.nanoTime());
                Optional<Exchange> found = read(Duration.ofNanos(left));
                if (found.isPresent() || left == 0 || stopWhenSettled && underWay.isEmpty()) return found;
            }
        }

        /** Reads once what the journal has from {@link #settled} on; before that waits for a change, unless this is the first time. */
        private Optional<Exchange> read(Duration left) {
            Duration wait = revision < 0 ? Duration.ZERO : left.compareTo(ONE_WAIT) < 0 ? left : ONE_WAIT;
            List<Exchange> open = new ArrayList<>();
            long since = settled;
            while (true) {
                Map<String, Object> query = new LinkedHashMap<>(Map.of("since", since, "limit", PAGE));
                if (!wait.isZero()) query.putAll(Map.of("revision", revision, "wait", Durations.text(wait)));
                Fields page = calls.get(path + Calls.query(query), wait);
                if (since == settled && open.isEmpty()) revision = page.number("revision");
                List<Exchange> exchanges = page.objects("entries", Exchange::of);
                for (Exchange exchange : exchanges) {
                    if (wanted.test(exchange)) return Optional.of(exchange);
                    if (!exchange.ended()) open.add(exchange);
                    else if (open.isEmpty()) settled = exchange.seq();
                }
                since = page.number("next_since");
                wait = Duration.ZERO;
                if (exchanges.size() < PAGE) break;
            }
            underWay = List.copyOf(open);
            return Optional.empty();
        }
    }
}
