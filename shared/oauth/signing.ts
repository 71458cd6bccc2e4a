/** §5.3 The keys of the authorization server: which are published, and which one signs. */
import { createHash } from 'node:crypto';
import type { PublicPoint, SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { type IssuerKey, issuerKeys } from '#shared/model/organizations/issuer-keys.ts';
import type { Services } from '#shared/services.ts';
import { OAUTH_LIMITS } from './limits.ts';

export interface PublishedKeys {
  readonly keys: readonly IssuerKey[];
  readonly signer: IssuerKey;
}

type Stores = Pick<Services, 'table' | 'now'>;
type Signing = Pick<SigningKeys, 'ids' | 'publicPointOf'>;

/** Publishes the keys of this deployment, and retires those that were removed from it. */
export async function publishKeys(services: Stores, signing: Signing): Promise<PublishedKeys> {
  let keys: readonly IssuerKey[] = [];
  await optimistically('keys of the authorization server', async () => {
    const row = await services.table.get(issuerKeys, {}, { consistent: true });
    keys = await keysAfter(row?.keys ?? [], signing, services.now());
    if (row && JSON.stringify(keys) === JSON.stringify(row.keys)) return true;
    const isSame = row ? { path: 'version', equals: row.version } : ABSENT;
    const written = await services.table.put(issuerKeys, { keys, version: (row?.version ?? 0) + 1 }, isSame);
    return written.done;
  });
  return { keys, signer: signerOf(keys, services.now()) };
}

async function keysAfter(known: readonly IssuerKey[], signing: Signing, now: number): Promise<IssuerKey[]> {
  const { removedKeyMilliseconds } = OAUTH_LIMITS;
  const kept = known
    .map(({ removedAt = now, ...key }) => (signing.ids.includes(key.keyId) ? key : { ...key, removedAt }))
    .filter((key) => !('removedAt' in key) || now < key.removedAt + removedKeyMilliseconds);
  const added = signing.ids.filter((id) => !known.some(({ keyId }) => keyId === id));
  return [...kept, ...(await Promise.all(added.map((keyId) => newKey(keyId, signing, now))))];
}

async function newKey(keyId: string, signing: Signing, firstSeenAt: number): Promise<IssuerKey> {
  const { x, y } = await signing.publicPointOf(keyId);
  return { kid: thumbprint({ x, y }), keyId, x, y, firstSeenAt };
}

/** The JWK thumbprint of RFC 7638, which demands this order of members. */
const thumbprint = ({ x, y }: PublicPoint): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');

/** The newest key that has been published long enough for every verifier to know it, else the oldest one. */
function signerOf(keys: readonly IssuerKey[], now: number): IssuerKey {
  const own = keys.filter(({ removedAt }) => removedAt === undefined).sort((a, b) => a.firstSeenAt - b.firstSeenAt);
  const isLearnt = ({ firstSeenAt }: IssuerKey) => now >= firstSeenAt + OAUTH_LIMITS.keyLeadMilliseconds;
  const signer = own.findLast(isLearnt) ?? own[0];
  if (!signer) throw new Error('The authorization server has no signing key. Add one to the template');
  return signer;
}
