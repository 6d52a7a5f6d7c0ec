package io.eventqueue.autoconfigure.actuate;

import io.eventqueue.log.ProjectionJob;
import io.eventqueue.log.ProjectionStatus;
import java.util.List;

/** What the endpoint shows of projections and does with them, on all shards. */
final class ProjectionOperations {

    private final ProjectionJob job;

    ProjectionOperations(ProjectionJob job) {
        this.job = job;
    }

    List<ProjectionStatus> list() {
        return job.status();
    }

    List<ProjectionStatus> find(String name) {
        return list().stream().filter(one -> one.projection().equals(name)).toList();
    }

    /** False: there is no such projection. */
    boolean act(String name, String action) {
        if (!action.equals("reset")) {
            throw new InvalidOperationException("Unknown action '" + action + "' for a projection: use reset");
        }
        boolean known = job.names().contains(name);
        if (known) {
            job.reset(name);
        }
        return known;
    }

}
