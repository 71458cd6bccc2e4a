/** §5 Authenticates by the API key in the body (`recordKey`), which authorizers do not get. Headers take precedence. */

import type { ApiAction } from '#shared/access/actions.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import { makeDenialError } from '#shared/access/denial.ts';
import { findRefusal } from '#shared/access/may.ts';
import { findCredential } from '#shared/access/request-credential.ts';
import { unauthorized } from '#shared/engine/errors.ts';
import { type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';
import { readTopLevelText } from '#shared/engine/http/top-level-text.ts';
import type { Services } from '#shared/services.ts';
import { limitExceeded } from '#shared/usage/errors.ts';
import { connectGauge, connectVerifier } from './connect.ts';
import { logUsage } from './log.ts';

export type ActorFromBody = (
  services: Pick<Services, 'table' | 'now' | 'randomId'>,
  event: ProxyEvent,
  action: ApiAction,
) => Promise<ApiActor>;

/** Has the same rules, database reads and error responses as the authorizer. */
export function actorFromBody(): ActorFromBody {
  const verifier = connectVerifier();
  const gauge = connectGauge();
  return async (services, event, action) => {
    const inHeader = findCredential(event.multiValueHeaders ?? {}, action);
    // The last use of a token is not recorded here, because only API keys can record test results. So the function
    // needs no permission to update tokens.
    const credential = inHeader ?? (await readRecordKey(event));
    const actor = await verifier().verify(services, credential, { recordsUse: false, alsoRead: gauge() });
    if (!actor) throw unauthorized();
    const admission = await gauge().admit(services, actor, action);
    logUsage(admission);
    if (admission.excess) throw limitExceeded(admission.excess);
    const refusal = findRefusal(actor, action);
    if (!refusal) return actor;
    // `refusal` never means that a permission is missing, because recording requires no permission.
    throw 'denial' in refusal ? makeDenialError(refusal.denial) : unauthorized();
  };
}

/** Does not parse the whole body, because unauthenticated requests must be cheap. */
const readRecordKey = (event: ProxyEvent): Promise<string | undefined> =>
  readTopLevelText({ ...event, contentEncoding: readHeader(event, 'content-encoding') }, 'recordKey');
