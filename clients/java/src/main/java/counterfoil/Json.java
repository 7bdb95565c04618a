package counterfoil;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reader of JSON (RFC 8259). Objects become {@code Map<String, Object>} in their order, arrays {@code List<Object>}, whole numbers
 * {@link Long} or {@link BigInteger}, others {@link BigDecimal}; {@code null} stays null.
 */
final class Json {
    /** The maximum nesting: deeper than any response of the server. A deeper text would exhaust the stack. */
    private static final int DEEPEST = 512;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Reads one value that is the whole text.
     *
     * @throws IllegalArgumentException if the text is not JSON: what was found, where, and what was expected
     */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) throw json.wrong("the end");
        return value;
    }

    private Object value() {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        enter();
        for (boolean more = !ends('}'); more; more = !separated('}')) {
            skipSpace();
            if (peek() != '"') throw wrong("a key in quotes");
            String key = string();
            skipSpace();
            if (peek() != ':') throw wrong("`:`");
            at++;
            object.put(key, value());
        }
        depth--;
        return Collections.unmodifiableMap(object);
    }

    private List<Object> array() {
        List<Object> array = new ArrayList<>();
        enter();
        for (boolean more = !ends(']'); more; more = !separated(']')) array.add(value());
        depth--;
        return Collections.unmodifiableList(array);
    }

    private void enter() {
        at++;
        if (++depth > DEEPEST) throw wrong("at most " + DEEPEST + " levels");
    }

    /** Takes the closing bracket if it is next. */
    private boolean ends(char closing) {
        skipSpace();
        if (peek() != closing) return false;
        at++;
        return true;
    }

    /** Takes the closing bracket, and returns true, or takes a comma. */
    private boolean separated(char closing) {
        if (ends(closing)) return true;
        if (peek() != ',') throw wrong("`,` or `" + closing + "`");
        at++;
        return false;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        for (at++; peek() != '"'; at++) {
            char next = peek();
            if (next < ' ') throw wrong("a character of a text, or `\"`");
            string.append(next == '\\' ? escaped() : next);
        }
        at++;
        return string.toString();
    }

    private char escaped() {
        at++;
        char next = peek();
        return switch (next) {
            case '"', '\\', '/' -> next;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw wrong("an escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int digit = 0; digit < 4; digit++) {
            at++;
            int value = peek() < 128 ? Character.digit(peek(), 16) : -1;
            if (value < 0) throw wrong("a hexadecimal digit");
            code = code * 16 + value;
        }
        return (char) code;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw wrong("`" + word + "`");
        at += word.length();
        return value;
    }

    private Object number() {
        int begin = at;
        if (peek() == '-') at++;
        int first = at;
        digits();
        if (at - first > 1 && text.charAt(first) == '0') throw wrong("no digit after a leading zero");
        boolean whole = true;
        if (peek() == '.') {
            whole = false;
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            whole = false;
            at++;
            if (peek() == '+' || peek() == '-') at++;
            digits();
        }
        String number = text.substring(begin, at);
        if (!whole) return new BigDecimal(number);
        BigInteger integer = new BigInteger(number);
        return integer.bitLength() < Long.SIZE ? (Object) integer.longValue() : integer;
    }

    private void digits() {
        int begin = at;
        while (peek() >= '0' && peek() <= '9') at++;
        if (at == begin) throw wrong("a value");
    }

    private void skipSpace() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') at++;
    }

    /** The next character; after the end U+0000, which JSON allows nowhere. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IllegalArgumentException wrong(String expected) {
        String found = at < text.length() ? "`" + text.charAt(at) + "`" : "the end";
        return new IllegalArgumentException("found " + found + " at character " + at + " of JSON, expected " + expected);
    }
}
