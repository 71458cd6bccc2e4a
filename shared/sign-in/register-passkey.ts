/** Adds a passkey to an account. The browser signs a challenge with a new key, and sends the public key. */
import { verifyRegistrationResponse } from '@simplewebauthn/server';
import type { Person } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { refuse } from '#shared/engine/errors.ts';
import { ABSENT, mergeChecks, put, update } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { change } from '#shared/organizations/change.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { Services } from '#shared/services.ts';
import { createChallenge, isChallengeUsed, makeChallengeCheck, markChallengeUsed } from './challenges.ts';
import { getChallenge, parseAttestation } from './credential-wire.ts';
import { passkeyNotAdded, tooManyPasskeys } from './errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { listPasskeys } from './passkeys.ts';
import { type NewSession, renewSession } from './sessions.ts';

type PasskeyServices = Pick<Services, 'table' | 'now' | 'randomId' | 'origin'>;

const PASSKEY_ID_CHARACTERS = 16;
/** EdDSA, ES256 and RS256. They are listed here, because the library's defaults depend on the version of Node. */
const ALGORITHMS = [-8, -7, -257];

/** The options that the browser passes to `parseCreationOptionsFromJSON`. */
export async function makePasskeyCreationOptions(services: PasskeyServices, account: Account) {
  const { accountId, email, name } = account;
  const [challenge, existingPasskeys] = await Promise.all([
    createChallenge(services, { kind: 'register', accountId }),
    listPasskeys(services, account),
  ]);
  return {
    challenge,
    rp: { id: new URL(services.origin).hostname, name: 'Rundown' },
    user: { id: Buffer.from(accountId).toString('base64url'), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: SIGN_IN_LIMITS.challengeMilliseconds,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    // Prevents a second passkey on an authenticator that already has one for this account.
    excludeCredentials: existingPasskeys.map(({ credentialId }) => ({ type: 'public-key', id: credentialId })),
  };
}

interface Registration {
  readonly actor: Person;
  readonly session: Session;
  /** The JSON text from the browser. */
  readonly credential: string;
  readonly name: string;
}

/** Also renews the session, so that a cookie stolen earlier is useless. All unusable credentials have one error. */
export async function addPasskey(services: PasskeyServices, request: Registration): Promise<NewSession> {
  const { actor, session, credential } = request;
  const { accountId } = actor;
  const name = parseName('The name of a passkey', request.name);
  const { challenge, created } =
    (await verifyRegistration(services, accountId, credential)) ?? refuse(passkeyNotAdded());
  const { passkeysOfAccount: maximum } = SIGN_IN_LIMITS;
  const now = services.now();
  const passkey = {
    hash: hashToken(created.id),
    passkeyId: services.randomId(PASSKEY_ID_CHARACTERS),
    credentialId: created.id,
    publicKey: created.publicKey,
    counter: created.counter,
    accountId,
    name,
    createdAt: now,
  };
  return change(services, { actor, action: 'accounts:addPasskey' }, async () => {
    const account = await services.table.get(accounts, actor, { consistent: true });
    if (account && account.passkeys >= maximum) throw tooManyPasskeys(maximum);
    const isKnown = await services.table.get(passkeys, passkey, { consistent: true });
    if (isKnown || (await isChallengeUsed(services, challenge))) throw passkeyNotAdded();
    const renewedSession = await renewSession(services, session);
    const writes = [
      markChallengeUsed(services, challenge),
      put(passkeys, passkey, ABSENT),
      put(passkeysOfAccount, passkey),
      update(accounts, actor, { add: [['passkeys', 1]] }, { path: 'passkeys', atMost: maximum - 1 }),
      ...renewedSession.writes,
    ];
    return {
      result: renewedSession,
      writes: mergeChecks(renewedSession.checks, writes),
      record: await makeAccountRecords(services, actor, { action: 'passkey added', detail: name }),
    };
  });
}

async function verifyRegistration(services: PasskeyServices, accountId: string, text: string) {
  const response = parseAttestation(text);
  if (!response) return undefined;
  const origin = new URL(services.origin);
  // The error messages of the library contain the challenge, so they are discarded.
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: await makeChallengeCheck(services, { kind: 'register', accountId }),
    expectedOrigin: origin.origin,
    expectedRPID: origin.hostname,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  return { challenge: getChallenge(response.response), created: result.registrationInfo.credential };
}
