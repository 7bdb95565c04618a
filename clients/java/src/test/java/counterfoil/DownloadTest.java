package counterfoil;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Reads the bytes of an archive; the rest of a download is tested with those of the other clients (Tests/Shell/client-download.sh). */
final class DownloadTest {
    @Test
    void anArchiveThatStallsIsNotWaitedFor() throws Exception {
        try (PipedOutputStream writer = new PipedOutputStream(); PipedInputStream body = new PipedInputStream(writer)) {
            writer.write(1);

            IOException late = assertTimeoutPreemptively(
                Duration.ofSeconds(30), () -> assertThrows(IOException.class, () -> Download.read(body, 9, Duration.ofMillis(200))));

            assertEquals("no end of it after 200 ms", late.getMessage());
        }
    }

    @Test
    void anArchiveIsReadUpToALimitOrToItsError() throws Exception {
        assertArrayEquals(new byte[] {1, 2}, Download.read(new ByteArrayInputStream(new byte[] {1, 2, 3}), 2, Duration.ofSeconds(30)));

        IOException broken = new IOException("broken");
        InputStream body = new InputStream() {
            @Override
            public int read() throws IOException {
                throw broken;
            }
        };
        assertSame(broken, assertThrows(IOException.class, () -> Download.read(body, 2, Duration.ofSeconds(30))));
    }
}
