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

  /** The rows with the counts, unless they were read a short time ago. They are read together with the credential. */
  rowsOf(caller: Caller, now: number) {
    const counts = this.#known.get(toCallerKey(caller));
    return counts && isFresh(counts, now) ? [] : makeCountLookups(caller, now);
  }

  /** Without the stored counts, those that this instance knows go on, so that a fault of the counts refuses nobody. */
  take(caller: Caller, organization: Organization, result: AlsoResult, now: number): void {
    const counts = this.#known.get(toCallerKey(caller));
    const limits = resolveUsageLimits(organization, this.#defaults);
    const refusals = resolveRefusals(organization, this.#defaults);
    if (counts && isFresh(counts, now)) {
      Object.assign(counts, { limits, refusals });
      return;
    }
    if (result.kind === 'failed' && counts) {
      Object.assign(counts, { limits, refusals, readAt: now, error: result.error });
      return;
    }
    const [monthLookup, credentialLookup] = makeCountLookups(caller, now);
    const rows = result.kind === 'read' ? result.rows : makeLookupResult([]);
    const { requests: inMonth = 0 } = rows.of(monthLookup) ?? {};
    const { window = 0, inWindow = 0 } = rows.of(credentialLookup) ?? {};
    const { untilCounted = 0, untilRefusedCounted = 0 } = counts ?? {};
    // Forgets only one credential, because requests with the others may be between `take` and `admit`.
    const [oldestKey] = this.#known.keys();
    if (!counts && oldestKey !== undefined && this.#known.size >= USAGE_LIMITS.cachedCredentials)
      this.#known.delete(oldestKey);
    this.#known.set(toCallerKey(caller), {
      untilCounted,
      untilRefusedCounted,
      limits,
      refusals,
      readAt: now,
      month: formatMonth(now),
      inMonth,
      window,
      inWindow,
      error: result.kind === 'failed' ? result.error : undefined,
    });
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
      counts.untilRefusedCounted = (counts.untilRefusedCounted || drawRequestsUntilCounted(services)) - 1;
      if (counts.untilRefusedCounted === 0) {
        counts.untilRefusedCounted = USAGE_LIMITS.sampleEvery;
        await countRefused(services, actor, now).catch((failure: unknown) => errors.push(failure));
      }
      return { excess, crossings: [], errors };
    }
    counts.untilCounted = (counts.untilCounted || drawRequestsUntilCounted(services)) - 1;
    if (counts.untilCounted > 0) return { crossings: [], errors };
    counts.untilCounted = USAGE_LIMITS.sampleEvery;
    try {
      const before = await countRequest(services, actor, counts, now);
      return { crossings: findCrossings(actor, counts, before), errors };
    } catch (failure) {
      return { crossings: [], errors: [...errors, failure] };
    }
  }
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

const RANDOM_CHARACTERS = 8;

const drawRequestsUntilCounted = ({ randomId }: Services): number =>
  1 + (Number.parseInt(randomId(RANDOM_CHARACTERS), 16) % USAGE_LIMITS.sampleEvery);
