/**
 * The value of `RUNDOWN_DSN`, the one setting that clients need: the address of the service, an API key with Read &
 * Write, and the project. `infra/client/settings/dsn.ts` parses it.
 */
export function formatDsn(origin: string, projectId: string, key: string): string {
  const [scheme, place] = origin.split('//');
  return `${scheme}//${key}@${place}/${encodeURIComponent(projectId)}`;
}

/** For the jobs of trusted repositories, which need no key. It is also the address of the page of the project. */
export const formatKeylessDsn = (origin: string, organizationId: string, projectId: string): string =>
  [origin, encodeURIComponent(organizationId), encodeURIComponent(projectId)].join('/');
