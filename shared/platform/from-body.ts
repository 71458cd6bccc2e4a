/** §5 Authenticates requests with the key in the body (`recordKey`), which no authorizer sees. Headers have priority. */

import type { ApiAction } from '#shared/access/actions.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import { errorFor } from '#shared/access/denial.ts';
import { refusalOf } from '#shared/access/may.ts';
import { credentialOf } from '#shared/access/request-credential.ts';
import { unauthorized } from '#shared/engine/errors.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { topLevelText } from '#shared/engine/http/top-level-text.ts';
import type { Services } from '#shared/services.ts';
import { connectVerifier } from './connect.ts';

export type ActorFromBody = (
  services: Pick<Services, 'table' | 'now'>,
  event: ProxyEvent,
  action: ApiAction,
) => Promise<ApiActor>;

/** Applies the same rules, reads and refusals as the authorizer. */
export function actorFromBody(): ActorFromBody {
  const verifier = connectVerifier();
  return async (services, event, action) => {
    const inHeader = credentialOf(event.multiValueHeaders ?? {}, action);
    // Only API keys may record. So no token is used here, and its last use needs no write permission.
    const actor = await verifier().verify(services, inHeader ?? (await recordKeyIn(event)), { recordsUse: false });
    if (!actor) throw unauthorized();
    const refusal = refusalOf(actor, action);
    if (!refusal) return actor;
    // Recording needs no permission, so no refusal names a missing one.
    throw 'denial' in refusal ? errorFor(refusal.denial) : unauthorized();
  };
}

/** Finds the key without parsing, because an unauthenticated request must be cheap. */
const recordKeyIn = (event: ProxyEvent): Promise<string | undefined> =>
  topLevelText({ ...event, contentEncoding: header(event, 'content-encoding') }, 'recordKey');
