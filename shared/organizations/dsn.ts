/**
 * The value of `RUNDOWN_DSN`, the one setting that clients need: the address of the service, an API key with Read &
 * Write, and the project. `infra/client/settings/dsn.ts` parses it.
 */
export function formatDsn(origin: string, projectId: string, key: string): string {
  const [scheme, place] = origin.split('//');
  return `${scheme}//${key}@${place}/${encodeURIComponent(projectId)}`;
}
