/** Stores how many requests an organization sends in a month, and a credential in a month and in a window of time. */
import type { ApiActor } from '#shared/access/actor.ts';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import type { UsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { USAGE_LIMITS } from './limits.ts';
import { computeWindowNumber, formatMonth, getDayOfMonth } from './periods.ts';
import type { Sampler } from './sampler.ts';

/** All access tokens of a member count as one credential, because each token is valid for only an hour. */
export interface Caller {
  readonly organizationId: string;
  readonly credentialId: string;
}

export interface CachedCounts {
  /** Refused requests have a sampler of their own, so that they do not affect which of the accepted ones are counted. */
  readonly accepted: Sampler;
  readonly refused: Sampler;
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

type Services = Pick<CoreServices, 'table'>;

/** Stores a count, and notes the new totals. Returns the month's total before this count. */
export async function countRequest(
  services: Services,
  actor: ApiActor,
  counts: CachedCounts,
  now: number,
): Promise<number> {
  const caller = toCaller(actor);
  const month = formatMonth(now);
  const [monthOutcome, windowCounts] = await Promise.all([
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
  const inMonth = (monthOutcome.done ? monthOutcome.item.requests : undefined) ?? 0;
  Object.assign(counts, { readAt: now, month, inMonth, ...windowCounts });
  return inMonth - USAGE_LIMITS.sampleEvery;
}

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

export async function countRefused({ table }: Services, { organizationId }: ApiActor, now: number): Promise<void> {
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
const computeExpiry = (now: number): number => Math.ceil(now / 1000) + USAGE_LIMITS.keptDays * DAY_SECONDS;
