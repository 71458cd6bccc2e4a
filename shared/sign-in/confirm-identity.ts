/**
 * Confirms who is signed in, by a passkey, a confirmation code or a sign-in link. Only those of the signed-in account
 * are accepted: others would sign the person in to another account unnoticed.
 */
import type { Session } from '#shared/model/sign-in/session.ts';
import type { Services } from '#shared/services.ts';
import { confirmByCode } from './confirmation-codes.ts';
import { isLinkSecret, redeemSignInLink } from './links.ts';
import type { NewSession, SignInBrowser } from './sessions.ts';
import { usePasskey } from './use-passkey.ts';

interface Proof extends SignInBrowser {
  readonly session: Session;
  /** The JSON text of a passkey credential from the browser. Empty if the person entered a code. */
  readonly credential: string;
  /** A confirmation code, the code of a sign-in link, or the whole link. */
  readonly code: string;
}

export function confirmIdentity(
  services: Services,
  { session, credential, code, ...browser }: Proof,
): Promise<NewSession> {
  const { accountId } = session;
  if (credential !== '') return usePasskey(services, { ...browser, credential, use: { kind: 'confirm', accountId } });
  const secret = code.slice(code.lastIndexOf('#') + 1);
  if (isLinkSecret(secret)) return redeemSignInLink(services, { ...browser, secret, accountId });
  return confirmByCode(services, { session, code });
}
