package io.eventqueue.autoconfigure;

import io.eventqueue.HandlerDefinition;
import java.util.Collection;

/** A bean that brings handlers which are not beans themselves. */
@FunctionalInterface
public interface HandlerProvider {

    Collection<HandlerDefinition> handlers();

}
