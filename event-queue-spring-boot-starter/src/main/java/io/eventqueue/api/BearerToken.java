package io.eventqueue.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Lets requests in that have the token, comparing it in a time that does not tell how
 * much of it was right.
 */
final class BearerToken implements HandlerFilterFunction<ServerResponse, ServerResponse> {

    private static final String SCHEME = "Bearer ";

    private final byte[] token;

    BearerToken(String token) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public ServerResponse filter(ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
        if (matches(request.headers().firstHeader(HttpHeaders.AUTHORIZATION))) {
            return next.handle(request);
        }
        return ApiJson.answer(HttpStatus.UNAUTHORIZED,
                new ApiJson.Problem("Send the token of this API as Authorization: Bearer"),
                headers -> headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer"));
    }

    private boolean matches(@Nullable String authorization) {
        return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && MessageDigest.isEqual(token,
                        authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
    }

}
