/**
 * Counts the requests of organizations and credentials, and refuses those above the limits.
 *
 * Each instance of a function counts one in 32 requests of a credential, with two writes that stand for all 32. The
 * instance chooses the first counted request at random. So each request is counted with the same probability, and the
 * count is exact on average. An instance that ends has nothing left to write, and a count belongs to the day and month
 * of the counted request. README.md derives the error.
 */
import type { ApiAction } from '#shared/access/actions.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import type { AlsoRead, AlsoResult } from '#shared/access/stored-credentials.ts';
import { makeLookup, makeLookupResult } from '#shared/engine/table/found.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import { type DefaultLimits, resolveRefusals, resolveUsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { type CachedCounts, type Caller, countRefused, countRequest, toCaller } from './count-requests.ts';
import { type Crossing, findCrossings, findExcess } from './crossed-limits.ts';
import type { Excess } from './errors.ts';
import { USAGE_LIMITS } from './limits.ts';
import { formatMonth } from './periods.ts';
import { Sampler } from './sampler.ts';

interface Admission {
  readonly excess?: Excess;
  readonly crossings: readonly Crossing[];
  /** Why this request, or those before it, may be missing from the counts. */
  readonly errors: readonly unknown[];
}

type Services = Pick<CoreServices, 'table' | 'now' | 'randomId'>;

/** Each instance of a function has one gauge. */
export class Gauge implements AlsoRead {
  readonly #defaults: DefaultLimits;
  readonly #known = new Map<string, CachedCounts>();

  constructor(defaults: DefaultLimits) {
    this.#defaults = defaults;
  }

  /** The rows to read together with the credential: those with the counts, unless they were read a short time ago. */
  rowsOf(caller: Caller, now: number) {
    const counts = this.#known.get(toCallerKey(caller));
    return counts && isFresh(counts, now) ? [] : makeCountLookups(caller, now);
  }

  /**
   * Remembers the counts that were read, with the limits of the organization. If they could not be read, the counts that
   * this instance remembers stay in use, so that a fault of the counts refuses nobody.
   */
  rememberRows(caller: Caller, organization: Organization, result: AlsoResult, now: number): void {
    const counts = this.#known.get(toCallerKey(caller));
    const limits = resolveUsageLimits(organization, this.#defaults);
    const refusals = resolveRefusals(organization, this.#defaults);
    if (counts && isFresh(counts, now)) Object.assign(counts, { limits, refusals });
    else if (counts && result.kind === 'failed')
      Object.assign(counts, { limits, refusals, readAt: now, error: result.error });
    else {
      if (!counts) this.#makeRoom();
      this.#known.set(toCallerKey(caller), {
        accepted: counts?.accepted ?? new Sampler(),
        refused: counts?.refused ?? new Sampler(),
        limits,
        refusals,
        ...pickStoredCounts(caller, result, now),
      });
    }
  }

  /** Forgets only the oldest credential: requests with the others may be between `rememberRows` and `admit`. */
  #makeRoom(): void {
    const [oldestKey] = this.#known.keys();
    if (oldestKey !== undefined && this.#known.size >= USAGE_LIMITS.cachedCredentials) this.#known.delete(oldestKey);
  }

  /**
   * Counts a request with a valid credential, and returns whether it exceeds a limit. A table that refuses the counts
   * refuses no request: the errors are for the log.
   */
  async admit(services: Services, actor: ApiActor, action: ApiAction): Promise<Admission> {
    const counts = this.#known.get(toCallerKey(toCaller(actor)));
    if (!counts) throw new Error('The counts of the credential were not read. Pass the gauge to verify() as alsoRead');
    const { error } = counts;
    counts.error = undefined;
    const errors: unknown[] = error === undefined ? [] : [error];
    const now = services.now();
    const excess = findExcess(counts, { action, byDefault: this.#defaults, now });
    if (excess) {
      if (counts.refused.addRequest(services.randomId))
        await countRefused(services, actor, now).catch((failure: unknown) => errors.push(failure));
      return { excess, crossings: [], errors };
    }
    if (!counts.accepted.addRequest(services.randomId)) return { crossings: [], errors };
    try {
      const before = await countRequest(services, actor, counts, now);
      return { crossings: findCrossings(actor, counts, before), errors };
    } catch (failure) {
      return { crossings: [], errors: [...errors, failure] };
    }
  }
}

/** All zero if the caller has sent no request in this month, or if the counts could not be read. */
function pickStoredCounts(caller: Caller, result: AlsoResult, now: number) {
  const [monthLookup, credentialLookup] = makeCountLookups(caller, now);
  const rows = result.kind === 'read' ? result.rows : makeLookupResult([]);
  const { requests: inMonth = 0 } = rows.of(monthLookup) ?? {};
  const { window = 0, inWindow = 0 } = rows.of(credentialLookup) ?? {};
  const error = result.kind === 'failed' ? result.error : undefined;
  return { readAt: now, month: formatMonth(now), inMonth, window, inWindow, error };
}

const toCallerKey = ({ organizationId, credentialId }: Caller): string =>
  JSON.stringify([organizationId, credentialId]);

const makeCountLookups = (caller: Caller, now: number) =>
  [
    makeLookup(monthsOfRequests, { ...caller, month: formatMonth(now) }),
    makeLookup(requestsOfCredentials, { ...caller, month: formatMonth(now) }),
  ] as const;

const isFresh = ({ readAt, month }: CachedCounts, now: number): boolean =>
  Math.abs(now - readAt) < USAGE_LIMITS.freshMilliseconds && month === formatMonth(now);
