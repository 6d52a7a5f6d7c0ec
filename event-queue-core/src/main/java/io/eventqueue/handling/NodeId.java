package io.eventqueue.handling;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * {@code host:pid:random}: new at every start and never reused, so nobody can be mistaken
 * for a node that died.
 */
public final class NodeId {

    private NodeId() {
    }

    public static String next() {
        byte[] random = new byte[6];
        new SecureRandom().nextBytes(random);
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        }
        catch (UnknownHostException e) {
            host = "unknown";
        }
        String shortHost = host.length() > 200 ? host.substring(0, 200) : host;
        return shortHost + ":" + ProcessHandle.current().pid() + ":" + HexFormat.of().formatHex(random);
    }

}
