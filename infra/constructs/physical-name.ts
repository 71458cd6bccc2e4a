import type { Environment } from '#infra/build/environments.ts';

/**
 * For resources whose name must be known: the API refers to functions by name, and people search for queues, schedules
 * and alarms.
 */
export const physicalName = (environment: Environment, name: string): string => `rundown-${environment.name}-${name}`;
