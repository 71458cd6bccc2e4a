/** Adds passkeys to accounts and signs in with them, through the pages. */
import type { Account } from '#shared/model/organizations/account.ts';
import { type Authenticator, authenticator, type Deviation, type Options } from './authenticator.ts';
import type { Tenant, TestService } from './service.ts';
import { cookieOf, type Shown, signIn, type Visitor, visitor } from './visitor.ts';

/** Returns the WebAuthn options that a page gives to the browser. */
export async function optionsFor(person: Visitor, path: string): Promise<Options & Record<string, unknown>> {
  const { html } = await person.get(path);
  return JSON.parse(html);
}

export interface WithPasskey {
  readonly person: Visitor;
  readonly device: Authenticator;
}

/** Adds a passkey to the account. The response sets the cookie of the renewed session. */
export async function addPasskey(person: Visitor, device: Authenticator, deviation: Deviation = {}): Promise<Shown> {
  const options = await optionsFor(person, '/account/passkeys/options');
  return person.post('/account/passkeys/new', { name: 'Laptop', credential: device.create(options, deviation) });
}

export async function signedInWithPasskey(
  stage: TestService & Tenant,
  account: Pick<Account, 'accountId' | 'email'>,
): Promise<WithPasskey> {
  const device = authenticator(stage.origin, account.accountId);
  const answer = await addPasskey(await signIn(stage, account), device);
  return { person: visitor(stage.origin, cookieOf(answer)), device };
}

/** Signs in with the passkey in a browser without a session. */
export async function usePasskey(stage: TestService, device: Authenticator, deviation: Deviation = {}): Promise<Shown> {
  const stranger = visitor(stage.origin);
  const options = await optionsFor(stranger, '/sign-in/passkey/options');
  return stranger.post('/sign-in/passkey', { credential: device.get(options, deviation) });
}
