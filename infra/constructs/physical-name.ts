import type { Environment } from '#infra/build/environments.ts';

/**
 * Names of resources that need one in advance. The API names functions; people look for queues, schedules and alarms.
 */
export const physicalName = (environment: Environment, name: string): string => `rundown-${environment.name}-${name}`;
