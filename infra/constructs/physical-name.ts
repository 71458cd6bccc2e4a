import type { Environment } from '#infra/build/environments.ts';

/**
 * The name of a resource, where the name must be known in advance: the API refers to functions by name, and people
 * search for queues, schedules and alarms by name.
 */
export const physicalName = (environment: Environment, name: string): string => `rundown-${environment.name}-${name}`;
