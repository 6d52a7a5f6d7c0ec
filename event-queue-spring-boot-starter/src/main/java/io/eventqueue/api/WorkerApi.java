package io.eventqueue.api;

import io.eventqueue.jdbc.Database;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The routes of the worker API. They are functions and not a controller, so that nothing
 * the application has for its controllers applies here: no JSON naming, no converters, no
 * advice around bodies, no exception handlers. Everything below the base path is answered
 * here.
 */
public final class WorkerApi {

    private final WorkerApiSettings settings;

    private final ProducerEndpoints producers;

    private final WorkerEndpoints workers;

    private final OperatorEndpoints operators;

    private final Description description;

    public WorkerApi(TransactionalEventQueue queue, List<Database> databases, WaitingWorkers waiting,
            WorkerApiSettings settings) {
        this.settings = settings;
        this.producers = new ProducerEndpoints(queue, databases, settings);
        this.workers = new WorkerEndpoints(queue.pullQueue(), waiting, settings);
        this.operators = new OperatorEndpoints(queue, waiting);
        this.description = new Description(settings.basePath());
    }

    public RouterFunction<ServerResponse> routes() {
        String base = settings.basePath();
        RouterFunctions.Builder routes = RouterFunctions.route()
            .POST(base, producers::create)
            .GET(base, operators::list)
            .GET(base + "/subscribe", workers::subscribe)
            .GET(base + "/openapi.json", description::get)
            .GET(base + "/{id}", operators::get)
            .POST(base + "/{id}/start", workers::start)
            .POST(base + "/{id}/heartbeat", workers::heartbeat)
            .POST(base + "/{id}/complete", workers::complete)
            .POST(base + "/{id}/fail", workers::fail)
            .POST(base + "/{id}/reset", operators::reset)
            .route(request -> isBelow(base, request), WorkerApi::nothingHere)
            .onError(Throwable.class, ApiErrors::answer);
        if (settings.token() != null) {
            routes.filter(new BearerToken(settings.token()));
        }
        return routes.build();
    }

    /** Preflight requests are left to the application's CORS configuration. */
    private static boolean isBelow(String base, ServerRequest request) {
        String path = request.requestPath().pathWithinApplication().value();
        return !request.method().equals(HttpMethod.OPTIONS) && (path.equals(base) || path.startsWith(base + "/"));
    }

    private static ServerResponse nothingHere(ServerRequest request) {
        return ApiJson.problem(HttpStatus.NOT_FOUND,
                "There is nothing for this method and path; openapi.json describes what there is");
    }

}
