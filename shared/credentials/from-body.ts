/** §5 For the few operations whose clients put the key into the body (`recordKey`), where no authorizer can see it. Headers win. */
import { unauthorized } from '../errors.ts';
import type { ProxyEvent } from '../http/event.ts';
import { connectVerifier, type Services } from '../services.ts';
import { type Demand, refusalOf } from './authorize.ts';
import { type Caller, refusalFor } from './caller.ts';
import { credentialOf } from './presented.ts';

export type CallerFromBody = (
  services: Pick<Services, 'table' | 'now'>,
  event: ProxyEvent,
  demand: Demand,
) => Promise<Caller>;

/** The same rules, reads and refusals as the authorizer's. */
export function callerFromBody(): CallerFromBody {
  const verifier = connectVerifier();
  return async (services, { body, multiValueHeaders }, demand) => {
    const recordKey = typeof body === 'object' && body !== null && 'recordKey' in body ? body.recordKey : undefined;
    const inBody = typeof recordKey === 'string' ? recordKey : undefined;
    const presented = credentialOf(multiValueHeaders ?? {}, demand.permission) ?? inBody;
    const caller = await verifier().verify(services, presented);
    if (!caller) throw unauthorized();
    const refusal = refusalOf(caller, demand);
    if (!refusal) return caller;
    // Such an operation records, and recording takes no permission that a caller could lack.
    throw 'denial' in refusal ? refusalFor(refusal.denial) : unauthorized();
  };
}
