/** §5 For the few operations whose clients put the key into the body (`recordKey`), where no authorizer can see it. Headers win. */

import type { ApiAction } from '#shared/access/actions.ts';
import type { Caller } from '#shared/access/actor.ts';
import { errorFor } from '#shared/access/denial.ts';
import { refusalOf } from '#shared/access/may.ts';
import { credentialOf } from '#shared/access/request-credential.ts';
import { unauthorized } from '#shared/engine/errors.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { topLevelText } from '#shared/engine/http/top-level-text.ts';
import type { Services } from '#shared/services.ts';
import { connectVerifier } from './connect.ts';

export type CallerFromBody = (
  services: Pick<Services, 'table' | 'now'>,
  event: ProxyEvent,
  action: ApiAction,
) => Promise<Caller>;

/** The same rules, reads and refusals as the authorizer's. */
export function callerFromBody(): CallerFromBody {
  const verifier = connectVerifier();
  return async (services, event, action) => {
    const inHeader = credentialOf(event.multiValueHeaders ?? {}, action);
    // Only API keys record: the use of a token that is refused here is not noted, and needs no right to write tokens.
    const caller = await verifier().verify(services, inHeader ?? (await recordKeyIn(event)), { recordsUse: false });
    if (!caller) throw unauthorized();
    const refusal = refusalOf(caller, action);
    if (!refusal) return caller;
    // Such an operation records, and recording takes no permission that a caller could lack.
    throw 'denial' in refusal ? errorFor(refusal.denial) : unauthorized();
  };
}

/** Looked for without parsing: until the caller is known, a request may cost next to nothing. */
const recordKeyIn = (event: ProxyEvent): Promise<string | undefined> =>
  topLevelText({ ...event, contentEncoding: header(event, 'content-encoding') }, 'recordKey');
