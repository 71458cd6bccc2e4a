import type { Environment } from '#infra/build/environments.ts';

/** For names that must be known in advance: the API refers to functions by name, and people search by name. */
export const formatPhysicalName = (environment: Environment, name: string): string =>
  `rundown-${environment.name}-${name}`;
