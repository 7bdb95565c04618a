package counterfoil;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A writer of JSON: maps, lists, texts, numbers, truth values and null, as {@link Json} reads them. */
final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    /**
     * Writes a value without white space.
     *
     * @throws IllegalArgumentException for a value of another type, and for a number that JSON does not have
     */
    static String of(Object value) {
        JsonText json = new JsonText();
        json.append(value);
        return json.text.toString();
    }

    private void append(Object value) {
        if (value instanceof Map<?, ?> object) {
            append(object);
        } else if (value instanceof List<?> array) {
            append(array);
        } else if (value instanceof CharSequence string) {
            appendString(string);
        } else if (value == null || value instanceof Boolean || isNumber(value)) {
            text.append(value);
        } else {
            throw new IllegalArgumentException(
                "found " + value + " of " + value.getClass().getName() + ", expected a map, a list, a text, a number, a truth value or null");
        }
    }

    private static boolean isNumber(Object value) {
        return value instanceof Number number && Double.isFinite(number.doubleValue());
    }

    private void append(Map<?, ?> object) {
        text.append('{');
        for (Iterator<? extends Map.Entry<?, ?>> entries = object.entrySet().iterator(); entries.hasNext();) {
            Map.Entry<?, ?> entry = entries.next();
            appendString(String.valueOf(entry.getKey()));
            text.append(':');
            append(entry.getValue());
            if (entries.hasNext()) text.append(',');
        }
        text.append('}');
    }

    private void append(List<?> array) {
        text.append('[');
        for (Iterator<?> values = array.iterator(); values.hasNext();) {
            append(values.next());
            if (values.hasNext()) text.append(',');
        }
        text.append(']');
    }

    private void appendString(CharSequence string) {
        text.append('"');
        for (int at = 0; at < string.length(); at++) {
            char next = string.charAt(at);
            if (next == '"' || next == '\\') text.append('\\').append(next);
            else if (next < ' ') text.append(String.format("\\u%04x", (int) next));
            else text.append(next);
        }
        text.append('"');
    }
}
