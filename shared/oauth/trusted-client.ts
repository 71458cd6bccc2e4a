/** §5.3 Whether the person in the browser knows a client, so that it may be sent errors without a question. */
import { person } from '#shared/access/actor.ts';
import type { CoreServices } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { readSession } from '#shared/sign-in/sessions.ts';
import { COMMAND_LINE } from './applications.ts';
import { listOwnGrants } from './grants.ts';

interface Asking {
  readonly clientId: string;
  /** The `Cookie` header. */
  readonly cookies: string | undefined;
}

/** The command line answers on the person's computer only. Any other client needs the consent that the person gave it. */
export async function isTrustedClient(services: CoreServices, { clientId, cookies }: Asking): Promise<boolean> {
  if (clientId === COMMAND_LINE) return true;
  const session = await readSession(services, readCookies(cookies).session, { consistent: true });
  if (!session) return false;
  const granted = await listOwnGrants(services, person(session));
  return granted.some((grant) => grant.clientId === clientId);
}
