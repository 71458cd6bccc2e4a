/**
 * What the cookie of a session says beside the secret: the account and the proof of the sign-in. A request then reads
 * their rows together with the session. The browser may send anything, so a hint only says what is probably worth
 * reading. What the stored session names decides.
 */
import type { Session } from '#shared/model/sign-in/session.ts';
import type { DependentSession } from './session-grounds.ts';

const SHAPE = /^([\w-]{1,64})(?:\.(passkey|provider|company)\.([\w-]{1,64}))?$/;

/** Safe in a cookie, because ids and hashes have no other characters. */
export function formatHint({ accountId, passkey, provider, company }: DependentSession): string {
  if (passkey !== undefined) return `${accountId}.passkey.${passkey}`;
  if (provider) return `${accountId}.provider.${provider.identity}`;
  return company ? `${accountId}.company.${company.identity}` : accountId;
}

/** A session has these members, but no key of its rows contains them, so that a hint needs no value. */
const NOT_IN_KEYS = '';

/**
 * `undefined` if there is no hint. The result only says which rows to read, and nothing else of it is ever used: what is
 * allowed is decided by the stored session. A session of company sign-in opens only pages of its organization.
 */
export function parseHint(text: string | undefined, organizationId = '-'): DependentSession | undefined {
  const [, accountId, kind, proof = ''] = SHAPE.exec(text ?? '') ?? [];
  if (accountId === undefined) return undefined;
  const session: Pick<Session, 'accountId' | 'method'> = { accountId, method: 'link' };
  if (kind === 'passkey') return { ...session, passkey: proof };
  if (kind === 'provider') return { ...session, provider: { identity: proof, issuer: NOT_IN_KEYS, name: NOT_IN_KEYS } };
  return kind === 'company'
    ? { ...session, company: { identity: proof, organizationId, providerId: NOT_IN_KEYS } }
    : session;
}
