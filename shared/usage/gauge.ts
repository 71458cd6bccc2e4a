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
import { toAssignments } from '#shared/engine/table/update.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import {
  type DefaultLimits,
  resolveRefusals,
  resolveUsageLimits,
  type UsageLimits,
} from '#shared/model/usage/usage-limits.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Excess } from './errors.ts';
import { USAGE_LIMITS } from './limits.ts';
import {
  computeNextMonthStart,
  computeNextWindowStart,
  computeWindowNumber,
  formatMonth,
  getDayOfMonth,
} from './periods.ts';

/** All access tokens of a member count as one credential, because each token is valid for only an hour. */
interface Caller {
  readonly organizationId: string;
  readonly credentialId: string;
}

interface CachedCounts {
  /**
   * The number of requests up to and including the next one that is counted. 0 before the first request. Refused
   * requests have a number of their own, so that they do not affect which of the accepted requests are counted.
   */
  untilCounted: number;
  untilRefusedCounted: number;
  /** Of these, 80 % are a reason to warn. Above the refusals, requests are refused. */
  limits: UsageLimits;
  refusals: UsageLimits;
  /** The stored counts, and when they were read. */
  readAt: number;
  month: string;
  inMonth: number;
  window: number;
  inWindow: number;
  /** Why the counts could not be read, until a request has reported it. */
  error: unknown;
}

/** A crossing of 80 % or 100 % of the requests of a month, for the log. */
interface Crossing {
  readonly organizationId: string;
  readonly month: string;
  readonly percent: number;
  readonly requests: number;
  /** Whether requests are refused above the limit. */
  readonly refuses: boolean;
}

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
      const before = await this.#count(services, actor, counts, now);
      return { crossings: findCrossings(actor, counts, before), errors };
    } catch (failure) {
      return { crossings: [], errors: [...errors, failure] };
    }
  }

  /** Stores a count, and notes the new totals. Returns the month's total before this count. */
  async #count(services: Services, actor: ApiActor, counts: CachedCounts, now: number): Promise<number> {
    const caller = toCaller(actor);
    const month = formatMonth(now);
    const [ofMonth, ofCredential] = await Promise.all([
      services.table.update(
        monthsOfRequests,
        { ...caller, month },
        {
          add: [
            ['requests', USAGE_LIMITS.sampleEvery],
            [`day${getDayOfMonth(now)}`, USAGE_LIMITS.sampleEvery],
          ],
          set: [['expiresAt', computeExpiry(now)]],
        },
      ),
      countCredential(services, actor, counts, now),
    ]);
    const inMonth = (ofMonth.done ? ofMonth.item.requests : undefined) ?? 0;
    Object.assign(counts, { readAt: now, month, inMonth, ...ofCredential });
    return inMonth - USAGE_LIMITS.sampleEvery;
  }
}

const toCallerKey = ({ organizationId, credentialId }: Caller): string =>
  JSON.stringify([organizationId, credentialId]);

export const toCaller = (actor: ApiActor): Caller => {
  const { organizationId } = actor;
  switch (actor.kind) {
    case 'apiKey':
      return { organizationId, credentialId: actor.keyId };
    case 'personalToken':
      return { organizationId, credentialId: actor.tokenId };
    case 'accessToken':
      return { organizationId, credentialId: actor.accountId };
  }
};

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

function findExcess(
  { refusals, month, inMonth, window, inWindow }: CachedCounts,
  { action, byDefault, now }: { readonly action: ApiAction; readonly byDefault: UsageLimits; readonly now: number },
) {
  const { requestsPerMonth } = refusals;
  // A reporter drops results after a few refusals, so a lower limit of the organization does not count for recording.
  const keyRequestsPerMinute =
    action === 'record'
      ? Math.max(refusals.keyRequestsPerMinute, byDefault.keyRequestsPerMinute)
      : refusals.keyRequestsPerMinute;
  const seconds = (end: number) => Math.max(1, Math.ceil((end - now) / 1000));
  // Recording has a higher limit, so that results are refused last.
  const allowedRequests = action === 'record' ? requestsPerMonth * USAGE_LIMITS.recordingReserve : requestsPerMonth;
  if (month === formatMonth(now) && inMonth >= allowedRequests)
    return { of: 'month', limit: requestsPerMonth, retryAfterSeconds: seconds(computeNextMonthStart(now)) } as const;
  const perWindow = (keyRequestsPerMinute * USAGE_LIMITS.windowMilliseconds) / 60_000;
  if (window === computeWindowNumber(now) && inWindow >= perWindow)
    return {
      of: 'rate',
      limit: keyRequestsPerMinute,
      retryAfterSeconds: seconds(computeNextWindowStart(now)),
    } as const;
  return undefined;
}

async function countRefused({ table }: Services, { organizationId }: ApiActor, now: number): Promise<void> {
  const month = { organizationId, month: formatMonth(now) };
  await table.update(monthsOfRequests, month, {
    add: [['refused', USAGE_LIMITS.sampleEvery]],
    set: [['expiresAt', computeExpiry(now)]],
  });
}

/**
 * Adds to the count of the current window, or begins a new window. Usually one write, because the instance remembers
 * which window it has seen last. If instances begin a window at the same time, all but one of them write twice.
 */
async function countCredential({ table }: Services, actor: ApiActor, counts: CachedCounts, now: number) {
  const key = { ...toCaller(actor), month: formatMonth(now) };
  const window = computeWindowNumber(now);
  const { kind } = actor;
  const description = kind === 'apiKey' ? { kind, label: actor.label } : { kind, accountId: actor.accountId };
  const attributes = toAssignments({ ...key, ...description, expiresAt: computeExpiry(now) });
  const count = ['requests', USAGE_LIMITS.sampleEvery] as const;
  const continueWindow = () =>
    table.update(
      requestsOfCredentials,
      key,
      { set: attributes, add: [count, ['inWindow', USAGE_LIMITS.sampleEvery]] },
      { path: 'window', equals: window },
    );
  const beginWindow = () =>
    table.update(
      requestsOfCredentials,
      key,
      {
        set: [...attributes, ['window', window], ['inWindow', USAGE_LIMITS.sampleEvery]],
        add: [count],
      },
      { not: { path: 'window', equals: window } },
    );
  const steps =
    counts.window === window && counts.month === key.month
      ? [continueWindow, beginWindow]
      : [beginWindow, continueWindow];
  for (const step of steps) {
    const outcome = await step();
    if (outcome.done) return { window, inWindow: outcome.item.inWindow ?? 0 };
  }
  // Another instance has begun a later window in the meantime, so only the count of the month is increased.
  await table.update(requestsOfCredentials, key, { set: attributes, add: [count] });
  return { window, inWindow: 0 };
}

/** In epoch seconds. */
const computeExpiry = (now: number): number => Math.ceil(now / 1000) + USAGE_LIMITS.keptDays * 24 * 3600;

/** The database makes all additions one after the other, so exactly one of them crosses a threshold. */
function findCrossings({ organizationId }: ApiActor, counts: CachedCounts, before: number): Crossing[] {
  const { month, inMonth, limits, refusals } = counts;
  const refuses = Number.isFinite(refusals.requestsPerMonth);
  return [USAGE_LIMITS.warnFrom, 1].flatMap((part) => {
    const threshold = part * limits.requestsPerMonth;
    if (before >= threshold || inMonth < threshold) return [];
    return { organizationId, month, percent: part * 100, requests: inMonth, refuses };
  });
}
