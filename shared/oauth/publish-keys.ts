/** §5.3 The keys of the authorization server: which are published, and which one signs. */

import { createHash } from 'node:crypto';
import type { PublicPoint, SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { type IssuerKey, issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import type { CoreServices } from '#shared/services.ts';
import { OAUTH_LIMITS } from './limits.ts';

type Signing = Pick<SigningKeys, 'ids' | 'publicPointOf'>;

/** Publishes the signing keys of this deployment, and retires keys that the deployment no longer uses. */
export async function publishKeys(
  services: CoreServices,
  signing: Signing,
): Promise<{ readonly keys: readonly IssuerKey[]; readonly signer: IssuerKey; readonly renewalSecret: string }> {
  const issuer = await retryOptimistically('keys of the authorization server', async () => {
    const row = await services.table.get(issuerKeys, {}, { consistent: true });
    const keys = await updateKeys(row?.keys ?? [], signing, services.now());
    const { renewalSecret = services.randomId(OAUTH_LIMITS.tokenCharacters) } = row ?? {};
    const isPublished = row?.renewalSecret !== undefined && JSON.stringify(keys) === JSON.stringify(row.keys);
    if (isPublished) return { keys, renewalSecret };
    const isSame = row ? { path: 'version', equals: row.version } : ABSENT;
    const newRow = { keys, renewalSecret, version: (row?.version ?? 0) + 1 };
    return (await services.table.put(issuerKeys, newRow, isSame)).done ? { keys, renewalSecret } : AGAIN;
  });
  return { ...issuer, signer: pickSigner(issuer.keys, services.now()) };
}

async function updateKeys(storedKeys: readonly IssuerKey[], signing: Signing, now: number): Promise<IssuerKey[]> {
  const { removedKeyMilliseconds } = OAUTH_LIMITS;
  const keptKeys = storedKeys
    .map(({ removedAt = now, ...key }) => (signing.ids.includes(key.keyId) ? key : { ...key, removedAt }))
    .filter((key) => !('removedAt' in key) || now < key.removedAt + removedKeyMilliseconds);
  const addedIds = signing.ids.filter((id) => !storedKeys.some(({ keyId }) => keyId === id));
  return [...keptKeys, ...(await Promise.all(addedIds.map((keyId) => makeIssuerKey(keyId, signing, now))))];
}

async function makeIssuerKey(keyId: string, signing: Signing, firstSeenAt: number): Promise<IssuerKey> {
  const { x, y } = await signing.publicPointOf(keyId);
  return { kid: computeThumbprint({ x, y }), keyId, x, y, firstSeenAt };
}

/** The JWK thumbprint of RFC 7638, which requires the members in this order. */
const computeThumbprint = ({ x, y }: PublicPoint): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');

/** The newest key published long enough for every verifier to know it, or else the oldest key. */
function pickSigner(keys: readonly IssuerKey[], now: number): IssuerKey {
  const activeKeys = keys
    .filter(({ removedAt }) => removedAt === undefined)
    .sort((a, b) => a.firstSeenAt - b.firstSeenAt);
  const isLearnt = ({ firstSeenAt }: IssuerKey) => now >= firstSeenAt + OAUTH_LIMITS.keyLeadMilliseconds;
  const signer = activeKeys.findLast(isLearnt) ?? activeKeys[0];
  if (!signer) throw new Error('The authorization server has no signing key. Add one to the template');
  return signer;
}
