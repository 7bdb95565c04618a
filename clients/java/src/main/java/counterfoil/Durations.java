package counterfoil;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as the admin API writes them: a whole number of {@code ms}, {@code s}, {@code m}, {@code h} or {@code d}. */
final class Durations {
    private static final Pattern TEXT = Pattern.compile("(-?[0-9]{1,15})(ms|s|m|h|d)");

    private Durations() {}

    /** The text of a duration, in milliseconds; what is less than one is left out. */
    static String text(Duration duration) {
        return duration.toMillis() + "ms";
    }

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Duration read(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) throw new IllegalArgumentException("found the duration " + text + ", expected one such as 250ms or 30s");
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
