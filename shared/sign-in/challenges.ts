/**
 * Challenges that passkeys sign. A challenge is authenticated by an HMAC instead of being stored, so strangers cannot
 * cause writes. After a valid signature, a row marks the challenge as used.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken } from '#shared/access/token.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, type Put, put } from '#shared/engine/table/writes.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import type { DeploymentProviderId } from '#shared/model/sign-in/deployment-provider.ts';
import type { CoreServices, WithClock } from '#shared/services.ts';
import { SIGN_IN_LIMITS } from './limits.ts';

/** What a challenge may be used for. The challenge is invalid for any other purpose. */
export interface ChallengeUse {
  readonly kind: keyof typeof KIND_BYTES;
  /** The account that may use the challenge. Absent for signing in, when the account is not known yet. */
  readonly accountId?: string;
  /** The organization whose provider signs the person in. Absent for passkeys. */
  readonly organizationId?: string;
  /** The provider of this deployment that signs the person in. Absent for passkeys. */
  readonly providerId?: DeploymentProviderId;
  /** The hash of the secret of the invitation that the person accepts. */
  readonly invitation?: string;
}

const KIND_BYTES = {
  signIn: 1,
  confirm: 2,
  register: 3,
  companySignIn: 4,
  companyConfirm: 5,
  companyLink: 6,
  providerSignIn: 7,
  providerJoin: 8,
  providerConfirm: 9,
  providerConnect: 10,
} as const;
const SECRET_BYTES = 32;
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 4;
/** The length of a challenge without the HMAC at its end: the kind, the expiry in epoch seconds, and random bytes. */
const HEAD_BYTES = 1 + EXPIRY_BYTES + RANDOM_BYTES;

export async function createChallenge(services: WithClock, use: ChallengeUse): Promise<string> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(KIND_BYTES[use.kind]);
  const lifetime =
    findPlace(use) === undefined ? SIGN_IN_LIMITS.challengeMilliseconds : SIGN_IN_LIMITS.companyMilliseconds;
  head.writeUInt32BE(Math.floor((services.now() + lifetime) / 1000), 1);
  randomBytes(RANDOM_BYTES).copy(head, 1 + EXPIRY_BYTES);
  return signChallenge(await ensureSecret(services), head, use);
}

/** The secret is read beforehand, so that the check adds no delay between the read and the write of the sign-in. */
export async function makeChallengeCheck(
  services: WithClock,
  use: ChallengeUse,
): Promise<(challenge: string) => boolean> {
  const secret = await ensureSecret(services);
  return (challenge) => {
    const head = Buffer.from(challenge, 'base64url').subarray(0, HEAD_BYTES);
    if (head.length < HEAD_BYTES || head.readUInt8() !== KIND_BYTES[use.kind]) return false;
    // Compares the encoded texts instead of the bytes, so that each challenge has exactly one valid encoding.
    const expectedBytes = Buffer.from(signChallenge(secret, head, use));
    const givenBytes = Buffer.from(challenge);
    const isOurs = expectedBytes.length === givenBytes.length && timingSafeEqual(expectedBytes, givenBytes);
    return isOurs && services.now() < head.readUInt32BE(1) * 1000;
  };
}

/** What the challenge was made for, as it says itself. Only the check of `makeChallengeCheck` proves it. */
export function readChallengeKind(challenge: string): ChallengeUse['kind'] | undefined {
  const [kindByte] = Buffer.from(challenge, 'base64url');
  return (Object.keys(KIND_BYTES) as ChallengeUse['kind'][]).find((kind) => KIND_BYTES[kind] === kindByte);
}

/** A conditional write that marks the challenge as used. Fails if the challenge was already used. */
export const markChallengeUsed = ({ now }: Pick<CoreServices, 'now'>, challenge: string): Put =>
  put(
    usedChallenges,
    {
      hash: hashToken(challenge),
      expiresAt: Math.ceil((now() + 2 * SIGN_IN_LIMITS.companyMilliseconds) / 1000),
    },
    ABSENT,
  );

export const isChallengeUsed = async ({ table }: WithTable, challenge: string): Promise<boolean> =>
  (await table.get(usedChallenges, { hash: hashToken(challenge) }, { consistent: true })) !== undefined;

/** Whose provider signs the person in: that of an organization, or one of this deployment. */
const findPlace = ({ organizationId, providerId }: ChallengeUse): string | undefined => organizationId ?? providerId;

function signChallenge(secret: KeyObject, head: Buffer, use: ChallengeUse): string {
  const { accountId = '', invitation = '' } = use;
  const place = findPlace(use);
  // No id and no hash contains a slash. Each kind has the same members at any time, so no two uses have the same text.
  const holder = place === undefined ? accountId : `${accountId}${invitation}/${place}`;
  const tag = createHmac('sha256', secret).update(head).update(holder).digest();
  return Buffer.concat([head, tag]).toString('base64url');
}

/** The first call creates the secret. If several calls try this at once, all return the one that was stored first. */
async function ensureSecret({ table }: WithTable): Promise<KeyObject> {
  const storedSecret = await table.get(challengeSecret, {}, { consistent: true });
  if (storedSecret) return createSecretKey(storedSecret.secret);
  const { item: keptSecret } = await table.put(challengeSecret, { secret: randomBytes(SECRET_BYTES) }, ABSENT);
  if (!keptSecret) throw new Error('The challenge secret was deleted while it was being created. Try again');
  return createSecretKey(keptSecret.secret);
}
