/**
 * The credential of a connection or notification. It is in Parameter Store, below the id of its organization. The row
 * names it, and a row that names a credential of another organization has none.
 */
import type { Secret, Secrets } from '#shared/engine/aws/secrets.ts';

export interface WithCredential {
  readonly organizationId: string;
  /**
   * The organization and the id of the credential, with a slash between them. Each new credential gets a new id. Absent
   * after an import, because an archive contains no credentials.
   */
  readonly secretName?: string;
}

export const formatSecretName = ({ organizationId, secretId }: Secret): string => `${organizationId}/${secretId}`;

/** Returns `undefined` if there is no credential. */
export function findSecret({ organizationId, secretName }: WithCredential): Secret | undefined {
  const organizationPrefix = `${organizationId}/`;
  return secretName?.startsWith(organizationPrefix)
    ? { organizationId, secretId: secretName.slice(organizationPrefix.length) }
    : undefined;
}

export const hasCredential = <Row extends WithCredential>(row: Row): row is Row & Required<WithCredential> =>
  findSecret(row) !== undefined;

export async function readCredential(secrets: Pick<Secrets, 'get'>, row: WithCredential): Promise<string | undefined> {
  const secret = findSecret(row);
  return secret && secrets.get(secret);
}

/** Does nothing if the credential has been removed before. */
export async function removeCredential(secrets: Pick<Secrets, 'remove'>, row: WithCredential): Promise<void> {
  const secret = findSecret(row);
  if (secret) await secrets.remove(secret);
}
