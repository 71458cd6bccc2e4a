/**
 * Signs a person in with a passkey. The browser returns a challenge that the passkey has signed, and the id of the
 * passkey.
 */
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { hashToken } from '#shared/access/token.ts';
import { refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { type Passkey, passkeys } from '#shared/model/sign-in/passkey.ts';
import type { Services } from '#shared/services.ts';
import { type ChallengeUse, createChallenge, makeChallengeCheck, markChallengeUsed } from './challenges.ts';
import { getChallenge, parseAssertion } from './credential-wire.ts';
import { passkeyNotUsable } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { listPasskeys } from './passkeys.ts';
import { makeSession, type NewSession, type SignInBrowser } from './sessions.ts';

type PasskeyServices = Pick<Services, 'table' | 'now' | 'randomId' | 'origin'>;

/**
 * The options that the browser passes to `parseRequestOptionsFromJSON`. Without an account, the browser offers all
 * passkeys for this service, so nobody has to enter an email address.
 */
export async function makePasskeyRequestOptions(services: PasskeyServices, use: ChallengeUse) {
  const { accountId } = use;
  const accountPasskeys = accountId === undefined ? [] : await listPasskeys(services, { accountId });
  return {
    challenge: await createChallenge(services, use),
    rpId: new URL(services.origin).hostname,
    timeout: SIGN_IN_LIMITS.challengeMilliseconds,
    userVerification: 'required',
    allowCredentials: accountPasskeys.map(({ credentialId }) => ({ type: 'public-key', id: credentialId })),
  };
}

interface PasskeySignIn extends SignInBrowser {
  readonly use: ChallengeUse;
  /** The JSON text from the browser. */
  readonly credential: string;
}

/** Of requests with the same signature, only one succeeds. All unusable credentials have the same error. */
export async function usePasskey(
  services: PasskeyServices,
  { use, credential, ...browser }: PasskeySignIn,
): Promise<NewSession> {
  const { table } = services;
  const assertion = parseAssertion(credential) ?? refuse(passkeyNotUsable());
  const challenge = getChallenge(assertion.response);
  const expectedChallenge = await makeChallengeCheck(services, use);
  const passkeyLookup = makeLookup(passkeys, { hash: hashToken(assertion.id) });
  const usedLookup = makeLookup(usedChallenges, { hash: hashToken(challenge) });
  return retryOptimistically('passkey', async () => {
    const rows = await table.getTogether([passkeyLookup, usedLookup], { consistent: true });
    const passkey = rows.of(passkeyLookup);
    if (!passkey || rows.of(usedLookup)) throw passkeyNotUsable();
    const counter = await verifyAssertion(services, { passkey, assertion, expectedChallenge, use });
    if (counter === undefined) throw passkeyNotUsable();
    const holder = { accountId: passkey.accountId, method: 'passkey', passkey: passkey.hash } as const;
    const newSession = makeSession(services, { ...browser, ...holder });
    const set = toAssignments({ counter, lastUsedAt: services.now() });
    const isUsed = await table.transact([
      markChallengeUsed(services, challenge),
      update(passkeys, passkey, { set }, { path: 'counter', equals: passkey.counter }),
      ...newSession.writes,
    ]);
    return isUsed ? newSession : AGAIN;
  });
}

interface Claim {
  readonly passkey: Passkey;
  readonly assertion: NonNullable<ReturnType<typeof parseAssertion>>;
  readonly expectedChallenge: (challenge: string) => boolean;
  readonly use: ChallengeUse;
}

/** Returns the new signature counter of the authenticator, or `undefined` if the signature is invalid. */
async function verifyAssertion(
  { origin: service }: Pick<Services, 'origin'>,
  { passkey, assertion, expectedChallenge, use }: Claim,
): Promise<number | undefined> {
  const { accountId, credentialId, publicKey, counter } = passkey;
  const { userHandle } = assertion.response;
  const isHolder = userHandle === undefined || Buffer.from(userHandle, 'base64url').toString() === accountId;
  const isExpected = use.accountId === undefined || use.accountId === accountId;
  if (!isHolder || !isExpected) return undefined;
  const origin = new URL(service);
  // The error messages of the library contain the challenge, so they are discarded.
  const result = await verifyAuthenticationResponse({
    response: assertion,
    expectedChallenge,
    expectedOrigin: origin.origin,
    expectedRPID: origin.hostname,
    credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: true,
  }).catch(() => undefined);
  return result?.verified ? result.authenticationInfo.newCounter : undefined;
}
