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
import type { AlsoRead } from '#shared/access/verify.ts';
import { type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/organizations/usage.ts';
import { resolveUsageLimits, type UsageLimits } from '#shared/model/organizations/usage-limits.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Excess } from './errors.ts';
import { USAGE_LIMITS } from './limits.ts';
import { dayOf, monthOf, startOfNextMonth, startOfNextWindow, windowOf } from './periods.ts';

/** All access tokens of a member count as one credential, because each token is valid for only an hour. */
interface Caller {
  readonly organizationId: string;
  readonly credentialId: string;
}

/** What an instance knows about a credential. */
interface Known {
  /**
   * The number of requests up to and including the next one that is counted. 0 before the first request. Refused
   * requests have a number of their own, so that they do not affect which of the accepted requests are counted.
   */
  untilCounted: number;
  untilRefusedCounted: number;
  limits: UsageLimits;
  /** The stored counts, and when they were read. */
  readAt: number;
  month: string;
  inMonth: number;
  window: number;
  inWindow: number;
}

/** A crossing of 80 % or 100 % of the requests of a month, for the log. */
interface Crossing {
  readonly organizationId: string;
  readonly month: string;
  readonly percent: number;
  readonly requests: number;
}

type Services = Pick<CoreServices, 'table' | 'now' | 'randomId'>;

/** Each instance of a function has one gauge. */
export class Gauge implements AlsoRead {
  readonly #defaults: UsageLimits;
  readonly #known = new Map<string, Known>();

  constructor(defaults: UsageLimits) {
    this.#defaults = defaults;
  }

  /** The rows with the counts, unless they were read a short time ago. They are read together with the credential. */
  rowsOf(caller: Caller, now: number) {
    const known = this.#known.get(nameOf(caller));
    return known && isFresh(known, now) ? [] : lookupsOf(caller, now);
  }

  take(caller: Caller, { limits }: Organization, found: LookupResult, now: number): void {
    const known = this.#known.get(nameOf(caller));
    const effective = resolveUsageLimits(limits, this.#defaults);
    if (known && isFresh(known, now)) {
      known.limits = effective;
      return;
    }
    const [ofMonth, ofCredential] = lookupsOf(caller, now);
    const { requests: inMonth = 0 } = found.of(ofMonth) ?? {};
    const { window = 0, inWindow = 0 } = found.of(ofCredential) ?? {};
    const { untilCounted = 0, untilRefusedCounted = 0 } = known ?? {};
    // Forgets only one credential, because requests with the others may be between `take` and `admit`.
    const [oldest] = this.#known.keys();
    if (!known && oldest !== undefined && this.#known.size >= USAGE_LIMITS.cachedCredentials)
      this.#known.delete(oldest);
    this.#known.set(nameOf(caller), {
      untilCounted,
      untilRefusedCounted,
      limits: effective,
      readAt: now,
      month: monthOf(now),
      inMonth,
      window,
      inWindow,
    });
  }

  /** Counts a request with a valid credential, and returns whether it exceeds a limit. */
  async admit(
    services: Services,
    actor: ApiActor,
    action: ApiAction,
  ): Promise<{ readonly excess?: Excess; readonly crossings: readonly Crossing[] }> {
    const now = services.now();
    const known = this.#known.get(nameOf(callerOf(actor)));
    if (!known) throw new Error('The counts of the credential were not read. Pass the gauge to verify() as alsoRead');
    const excess = excessOf(known, { action, byDefault: this.#defaults, now });
    if (excess) {
      known.untilRefusedCounted = (known.untilRefusedCounted || firstCounted(services)) - 1;
      if (known.untilRefusedCounted === 0) {
        known.untilRefusedCounted = USAGE_LIMITS.sampleEvery;
        await countRefused(services, actor, now);
      }
      return { excess, crossings: [] };
    }
    known.untilCounted = (known.untilCounted || firstCounted(services)) - 1;
    if (known.untilCounted > 0) return { crossings: [] };
    known.untilCounted = USAGE_LIMITS.sampleEvery;
    const before = await this.#count(services, actor, known, now);
    return { crossings: crossingsOf(actor, known, before) };
  }

  /** Stores a count, and notes the new totals. Returns the month's total before this count. */
  async #count(services: Services, actor: ApiActor, known: Known, now: number): Promise<number> {
    const caller = callerOf(actor);
    const month = monthOf(now);
    const [ofMonth, ofCredential] = await Promise.all([
      services.table.update(
        monthsOfRequests,
        { ...caller, month },
        {
          add: [
            ['requests', USAGE_LIMITS.sampleEvery],
            [`day${dayOf(now)}`, USAGE_LIMITS.sampleEvery],
          ],
          set: [['expiresAt', expiryOf(now)]],
        },
      ),
      countCredential(services, actor, known, now),
    ]);
    const inMonth = (ofMonth.done ? ofMonth.item.requests : undefined) ?? 0;
    Object.assign(known, { readAt: now, month, inMonth, ...ofCredential });
    return inMonth - USAGE_LIMITS.sampleEvery;
  }
}

const nameOf = ({ organizationId, credentialId }: Caller): string => JSON.stringify([organizationId, credentialId]);

export const callerOf = (actor: ApiActor): Caller => {
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

const lookupsOf = (caller: Caller, now: number) =>
  [
    makeLookup(monthsOfRequests, { ...caller, month: monthOf(now) }),
    makeLookup(requestsOfCredentials, { ...caller, month: monthOf(now) }),
  ] as const;

const isFresh = ({ readAt, month }: Known, now: number): boolean =>
  Math.abs(now - readAt) < USAGE_LIMITS.freshMilliseconds && month === monthOf(now);

const RANDOM_CHARACTERS = 8;

/** A random number from 1 to 32. */
const firstCounted = ({ randomId }: Services): number =>
  1 + (Number.parseInt(randomId(RANDOM_CHARACTERS), 16) % USAGE_LIMITS.sampleEvery);

function excessOf(
  { limits, month, inMonth, window, inWindow }: Known,
  { action, byDefault, now }: { readonly action: ApiAction; readonly byDefault: UsageLimits; readonly now: number },
) {
  const { requestsPerMonth } = limits;
  // A reporter drops results after a few refusals, so a lower limit of the organization does not count for recording.
  const keyRequestsPerMinute =
    action === 'record'
      ? Math.max(limits.keyRequestsPerMinute, byDefault.keyRequestsPerMinute)
      : limits.keyRequestsPerMinute;
  const seconds = (end: number) => Math.max(1, Math.ceil((end - now) / 1000));
  // Recording has a higher limit, so that results are refused last.
  const allowed = action === 'record' ? requestsPerMonth * USAGE_LIMITS.recordingReserve : requestsPerMonth;
  if (month === monthOf(now) && inMonth >= allowed)
    return { of: 'month', limit: requestsPerMonth, retryAfterSeconds: seconds(startOfNextMonth(now)) } as const;
  const perWindow = (keyRequestsPerMinute * USAGE_LIMITS.windowMilliseconds) / 60_000;
  if (window === windowOf(now) && inWindow >= perWindow)
    return { of: 'rate', limit: keyRequestsPerMinute, retryAfterSeconds: seconds(startOfNextWindow(now)) } as const;
  return undefined;
}

async function countRefused({ table }: Services, { organizationId }: ApiActor, now: number): Promise<void> {
  const month = { organizationId, month: monthOf(now) };
  await table.update(monthsOfRequests, month, {
    add: [['refused', USAGE_LIMITS.sampleEvery]],
    set: [['expiresAt', expiryOf(now)]],
  });
}

/**
 * Adds to the count of the current window, or begins a new window. Usually one write, because the instance remembers
 * which window it has seen last. If instances begin a window at the same time, all but one of them write twice.
 */
async function countCredential({ table }: Services, actor: ApiActor, known: Known, now: number) {
  const key = { ...callerOf(actor), month: monthOf(now) };
  const window = windowOf(now);
  const { kind } = actor;
  const description = kind === 'apiKey' ? { kind, label: actor.label } : { kind, accountId: actor.accountId };
  const described = toAssignments({ ...key, ...description, expiresAt: expiryOf(now) });
  const count = ['requests', USAGE_LIMITS.sampleEvery] as const;
  const goOn = () =>
    table.update(
      requestsOfCredentials,
      key,
      { set: described, add: [count, ['inWindow', USAGE_LIMITS.sampleEvery]] },
      { path: 'window', equals: window },
    );
  const begin = () =>
    table.update(
      requestsOfCredentials,
      key,
      {
        set: [...described, ['window', window], ['inWindow', USAGE_LIMITS.sampleEvery]],
        add: [count],
      },
      { not: { path: 'window', equals: window } },
    );
  const steps = known.window === window && known.month === key.month ? [goOn, begin] : [begin, goOn];
  for (const step of steps) {
    const written = await step();
    if (written.done) return { window, inWindow: written.item.inWindow ?? 0 };
  }
  // Another instance has begun a later window in the meantime, so only the count of the month is increased.
  await table.update(requestsOfCredentials, key, { set: described, add: [count] });
  return { window, inWindow: 0 };
}

/** When the counts of a month are deleted, in epoch seconds. */
const expiryOf = (now: number): number => Math.ceil(now / 1000) + USAGE_LIMITS.keptDays * 24 * 3600;

/** The database makes all additions one after the other, so exactly one of them crosses a threshold. */
function crossingsOf({ organizationId }: ApiActor, known: Known, before: number): Crossing[] {
  const { month, inMonth, limits } = known;
  return [USAGE_LIMITS.warnFrom, 1].flatMap((part) => {
    const threshold = part * limits.requestsPerMonth;
    if (before >= threshold || inMonth < threshold) return [];
    return { organizationId, month, percent: part * 100, requests: inMonth };
  });
}
