package io.eventqueue.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a client and its database and cuts a connection when a commit passes:
 * the commit reaches the database, the answer never reaches the client.
 */
final class CuttingProxy implements AutoCloseable {

    private final ServerSocket listener;

    private final int target;

    private final AtomicInteger cutsWanted = new AtomicInteger();

    final AtomicInteger cuts = new AtomicInteger();

    CuttingProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::acceptAll);
    }

    int port() {
        return listener.getLocalPort();
    }

    void cutNextCommit() {
        cutsWanted.set(1);
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> connect(client));
            }
            catch (IOException e) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        try (client; Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
            Thread answers = Thread.ofVirtual().start(() -> pump(server, client, false));
            pump(client, server, true);
            answers.join();
        }
        catch (IOException | InterruptedException e) {
            // the client sees a broken connection, as it should
        }
    }

    private void pump(Socket from, Socket to, boolean cutting) {
        byte[] buffer = new byte[16_384];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                boolean commit = cutting
                        && new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains("COMMIT");
                boolean cut = commit && cutsWanted.compareAndSet(1, 0);
                if (cut) {
                    // No answer from here on, whatever the database decides.
                    from.close();
                    cuts.incrementAndGet();
                }
                out.write(buffer, 0, length);
                out.flush();
                if (cut) {
                    return;
                }
            }
        }
        catch (IOException e) {
            // one side is gone
        }
        finally {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        }
        catch (IOException e) {
            // it was gone already
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

}
