package counterfoil;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** The program of an archive of {@code make dist} that is downloaded once, if COUNTERFOIL_URL has its address. */
final class Download {
    /** The largest archive, in bytes. */
    private static final int LARGEST_ARCHIVE = 100_000_000;
    /** The largest sum of the archive's files, in bytes. */
    private static final long LARGEST_TREE = 400_000_000;
    private static final int MOST_REDIRECTS = 10;
    /** An address of http or https, up to its query: scheme, user, host with port, path. */
    private static final Pattern ADDRESS = Pattern.compile(
        "(https?://)(?:[^/@]*@)?((?:\\[[^/@\\[\\]]*\\]|[^/@:\\[\\]\\\\\\s]+)(?::[0-9]*)?)(/.*)?", Pattern.CASE_INSENSITIVE);
    /** The longest wait for a connection, and for the head of a response. */
    private static final Duration WAIT = Duration.ofSeconds(60);
    /** The longest wait for the whole archive. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final String url;
    private final String sha256;
    private final String name;

    private Download(String url, String sha256) {
        String version = Download.class.getPackage().getImplementationVersion();
        String arch = System.getProperty("os.arch");
        boolean isMac = System.getProperty("os.name").startsWith("Mac");
        String machine = arch.equals("amd64") ? "x86_64" : arch.equals("aarch64") && isMac ? "arm64" : arch;
        this.name = "counterfoil-" + version + "-" + (isMac ? "darwin" : System.getProperty("os.name").toLowerCase()) + "-" + machine;
        this.url = url + (url.endsWith("/") ? name + ".tar.gz" : "");
        this.sha256 = sha256;
        if (version == null) throw wrong("found no version of this client, expected its jar of `make dist` on the class path");
        if (!sha256.matches("[0-9a-f]{64}")) {
            throw wrong("expected its checksum in COUNTERFOIL_SHA256, 64 hexadecimal digits, from SHA256SUMS");
        }
    }

    /**
     * The program {@code counterfoil} on the PATH, or that of the archive at {@code counterfoil.url} or COUNTERFOIL_URL. Without these nothing
     * is downloaded.
     */
    static String program() {
        String url = ServerOptions.setting("counterfoil.url", "COUNTERFOIL_URL", "");
        if (url.isEmpty() || isOnPath()) return "counterfoil";
        String cache = ServerOptions.setting("counterfoil.cache", "COUNTERFOIL_CACHE", "");
        Path folder = cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache", "counterfoil") : Path.of(cache);
        return new Download(url, ServerOptions.setting("counterfoil.sha256", "COUNTERFOIL_SHA256", "")).program(folder);
    }

    private static boolean isOnPath() {
        String path = System.getenv("PATH");
        return path != null && Stream.of(path.split(java.io.File.pathSeparator)).filter(folder -> !folder.isEmpty())
            .map(folder -> Path.of(folder, "counterfoil")).anyMatch(file -> Files.isRegularFile(file) && Files.isExecutable(file));
    }

    /** The program in the cache, where the archive is unpacked unless it is there already. */
    private String program(Path cache) {
        Path place = cache.resolve(name + "-" + sha256);
        Path program = place.resolve("bin/counterfoil");
        if (Files.exists(program)) return program.toString();
        Path folder;
        try {
            Files.createDirectories(cache);
            folder = Files.createTempDirectory(cache, "new.");
        } catch (IOException error) {
            throw wrong("found " + error + ", expected a folder for it; COUNTERFOIL_CACHE can name another");
        }
        try {
            try {
                byte[] archive = fetched();
                String found = HexFormat.of().formatHex(digest(archive));
                if (!found.equals(sha256)) throw wrong("found the checksum " + found + ", expected " + sha256 + " (COUNTERFOIL_SHA256)");
                unpack(archive, folder);
                try {
                    Files.move(folder.resolve(name), place);
                } catch (IOException error) {
                    // Another process may have been faster: its copy is the same.
                    if (!Files.exists(program)) throw error;
                }
            } finally {
                remove(folder);
            }
        } catch (IOException error) {
            throw wrong("found an archive that cannot be unpacked: " + error);
        }
        return program.toString();
    }

    private CounterfoilException wrong(String why) {
        return CounterfoilException.local("cannot download the program from " + plain(url), "No server", why, null);
    }

    /** The address without a user's name, password and query, which may be secret. Of a mistyped one only what is behind the last {@code @}. */
    private static String plain(String url) {
        String base = url.split("[?#]", 2)[0];
        Matcher parts = ADDRESS.matcher(base);
        if (!parts.matches()) return "…" + base.substring(base.lastIndexOf('@') + 1);
        return parts.group(1) + parts.group(2) + (parts.group(3) == null ? "" : parts.group(3));
    }

    /** The address, if it is https, or http on this machine. */
    private URI checked(String address) {
        if (!plain(address).equals(address.split("[?#]", 2)[0])) {
            throw wrong("found " + plain(address) + ", expected an https address, or http on this machine, without a user");
        }
        try {
            URI uri = URI.create(address);
            boolean isHere = uri.getHost() != null && Set.of("127.0.0.1", "localhost", "[::1]").contains(uri.getHost());
            if (uri.getHost() != null && ("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()) && isHere)) return uri;
        } catch (IllegalArgumentException error) {
            // It is no address at all.
        }
        throw wrong("found " + plain(address) + ", expected an https address, or http on this machine");
    }

    /** The bytes at the address. Redirects are followed to https, and within one host of this machine. */
    private byte[] fetched() {
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(WAIT).build();
        URI here = checked(url);
        try {
            for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
                HttpResponse<InputStream> response = http.send(
                    HttpRequest.newBuilder(here).timeout(WAIT).build(), HttpResponse.BodyHandlers.ofInputStream());
                try (InputStream body = response.body()) {
                    String location = response.headers().firstValue("location").orElse("");
                    if (response.statusCode() / 100 != 3 || location.isEmpty()) {
                        if (response.statusCode() != 200) throw wrong("found the status " + response.statusCode() + ", expected the archive");
                        byte[] archive = read(body, LARGEST_ARCHIVE + 1, LONGEST);
                        if (archive.length <= LARGEST_ARCHIVE) return archive;
                        throw wrong("found more than " + LARGEST_ARCHIVE + " bytes, expected an archive of `make dist`");
                    }
                    URI there = checked(here.resolve(location).toString());
                    if (!there.getScheme().equals(here.getScheme())
                        || here.getScheme().equals("http") && !there.getAuthority().equals(here.getAuthority())) {
                        throw wrong("found a redirect to " + plain(there.toString()) + ", expected none to another host, or from https to http");
                    }
                    here = there;
                }
            }
        } catch (IOException | IllegalArgumentException error) {
            throw wrong("found " + error + ", expected the archive");
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw wrong("the thread was interrupted");
        }
        throw wrong("found more than " + MOST_REDIRECTS + " redirects, expected the archive");
    }

    /** At most that many bytes of a body, which may stall: the request's own timeout ends with the head. */
    static byte[] read(InputStream body, int most, Duration limit) throws IOException, InterruptedException {
        FutureTask<byte[]> reading = new FutureTask<>(() -> body.readNBytes(most));
        Thread reader = new Thread(reading, "counterfoil-download");
        reader.setDaemon(true);
        reader.start();
        try {
            return reading.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            throw new IOException("no end of it after " + limit.toMillis() + " ms");
        } catch (ExecutionException error) {
            throw error.getCause() instanceof IOException cause ? cause : new IOException(error.getCause());
        }
    }

    /** Unpacks the archive (ustar, gzip), which has files and folders below the name alone. */
    private void unpack(byte[] archive, Path folder) throws IOException {
        long left = LARGEST_TREE;
        try (InputStream tar = new GZIPInputStream(new ByteArrayInputStream(archive))) {
            for (byte[] head = tar.readNBytes(512); head.length == 512 && head[0] != 0; head = tar.readNBytes(512)) {
                String prefix = text(head, 345, 500);
                String entry = ((prefix.isEmpty() ? "" : prefix + "/") + text(head, 0, 100)).replaceFirst("/$", "");
                String kind = text(head, 156, 157);
                List<String> parts = List.of(entry.split("/", -1));
                if (!parts.get(0).equals(name) || parts.stream().anyMatch(Set.of("", ".", "..")::contains) || !Set.of("", "0", "5").contains(kind)) {
                    throw wrong("found \"" + entry + "\" in the archive, expected files and folders below " + name + " alone");
                }
                long size = octal(head, 124, 136);
                left -= size;
                if (size < 0 || left < 0) throw wrong("found more than " + LARGEST_TREE + " bytes in the archive, expected an archive of `make dist`");
                Path place = folder.resolve(entry);
                if (kind.equals("5")) {
                    Files.createDirectories(place);
                    continue;
                }
                byte[] content = tar.readNBytes((int) size);
                if (content.length < size) throw new IOException(entry + " is cut short");
                tar.readNBytes((int) ((512 - size % 512) % 512));
                Files.createDirectories(place.getParent());
                Files.write(place, content, java.nio.file.StandardOpenOption.CREATE_NEW);
                boolean isProgram = (octal(head, 100, 108) & 0100) != 0;
                if (!place.toFile().setExecutable(isProgram, false)) throw new IOException("cannot set the mode of " + entry);
            }
        }
        if (!Files.isRegularFile(folder.resolve(name).resolve("bin/counterfoil"))) {
            throw wrong("found no " + name + "/bin/counterfoil in the archive, expected it");
        }
    }

    /** The text in these bytes of a head, up to its first zero. */
    private static String text(byte[] head, int from, int to) {
        String text = new String(head, from, to - from, StandardCharsets.UTF_8);
        int end = text.indexOf('\0');
        return end < 0 ? text : text.substring(0, end);
    }

    private static long octal(byte[] head, int from, int to) throws IOException {
        try {
            return Long.parseLong(text(head, from, to).trim(), 8);
        } catch (NumberFormatException error) {
            throw new IOException("found an invalid number in it", error);
        }
    }

    private static byte[] digest(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
        }
    }
}
