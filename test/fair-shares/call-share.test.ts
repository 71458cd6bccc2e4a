/** How the calls of a queue's function are shared while organizations come, go, and die in the middle of a call. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { remove } from '#shared/engine/table/writes.ts';
import { CallShare } from '#shared/fair-shares/call-share.ts';
import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import { FAIR_SHARES } from '#shared/fair-shares/limits.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import type { Services } from '#shared/services.ts';
import { cases } from '#test/harness/cases.ts';
import { clock, START, service } from '#test/harness/service.ts';

const { callsPerOrganization, leaseMilliseconds } = TRACE_CAPS;
const { freshMilliseconds } = FAIR_SHARES;

interface RunningCall {
  readonly organizationId: string;
  readonly beganAt: number;
  readonly end: () => Promise<void>;
}

/** A function with this maximum concurrency, whose calls are in progress until the test ends them. */
function functionOf(services: Services, concurrency: number) {
  const containers = Array.from({ length: 3 }, () => new CallShare(concurrency));
  const running = new Set<RunningCall>();
  let begun = 0;
  /** A killed call is over when its lease expires, as one that Lambda ends. */
  const countOf = (organizationId?: string): number => {
    for (const call of running) if (Date.now() >= call.beganAt + leaseMilliseconds) running.delete(call);
    return [...running].filter((call) => organizationId === undefined || call.organizationId === organizationId).length;
  };
  /** Returns undefined if Lambda starts no more calls. */
  const begin = async (organizationId: string): Promise<'running' | 'deferred' | undefined> => {
    if (countOf() >= concurrency) return undefined;
    const slots = new CallSlots(TRACE_CAPS, containers[begun++ % containers.length]);
    let finish = () => {};
    const outcome = await new Promise<'running' | 'deferred'>((resolve, reject) => {
      const act = () =>
        new Promise<object>((done) => {
          finish = () => done({});
          resolve('running');
        });
      const whole = slots.withSlot(services, { organizationId }, act);
      whole.then((result) => resolve(result ? 'running' : 'deferred'), reject);
      const call: RunningCall = {
        organizationId,
        beganAt: Date.now(),
        end: async () => {
          running.delete(call);
          finish();
          await whole;
        },
      };
      running.add(call);
      whole.then((result) => result ?? running.delete(call), reject);
    });
    return outcome;
  };
  return { begin, running, countOf };
}

const note = ({ table }: Services, count: number) => table.put(activeOrganizations, { count });

/** Written apart from the product: what is fair among this many organizations. */
const fairPart = (concurrency: number, organizations: number): number => {
  if (organizations === 1) return concurrency;
  const part = Math.trunc(concurrency / organizations);
  return Math.max(part, callsPerOrganization);
};

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('begin' as const), organization: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), place: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(1, 20, 66) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('count' as const), organizations: fc.integer({ min: 1, max: 3 }) }),
  },
);

test('Whatever order calls begin and end in, an organization uses all calls while it is the only one, and within one lease after others appear never more than its share', async () => {
  const { services } = await service();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(2, 11, 23),
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
      async (concurrency, initial, steps) => {
        round += 1;
        clock.set(START.getTime() + round * 24 * 3_600_000);
        const { begin, running, countOf } = functionOf(services, concurrency);
        const ids = [0, 1, 2].map((number) => `organization ${number} of ${round}`);
        let organizations = initial;
        let changedAt = Number.NEGATIVE_INFINITY;
        await note(services, organizations);
        for (const one of steps) {
          if (one.kind === 'wait') clock.advance(one.seconds * 1000);
          if (one.kind === 'end') await [...running][one.place % Math.max(1, running.size)]?.end();
          if (one.kind === 'count' && one.organizations !== organizations) {
            ({ organizations } = one);
            changedAt = Date.now();
            await note(services, organizations);
          }
          if (one.kind !== 'begin') continue;
          const organizationId = ids[one.organization % organizations] ?? '';
          const before = countOf(organizationId);
          const outcome = await begin(organizationId);
          // Until then, instances of the function may rely on the number of organizations that they have read.
          const isKnown = Date.now() >= changedAt + freshMilliseconds;
          const isSettled = Date.now() >= changedAt + freshMilliseconds + leaseMilliseconds;
          const part = fairPart(concurrency, organizations);
          if (isKnown && before < part) expect(outcome).not.toBe('deferred');
          if (isSettled && before >= part) expect(outcome).not.toBe('running');
          if (isSettled && organizations > 1) expect(countOf(organizationId)).toBeLessThanOrEqual(part);
        }
        await Promise.all([...running].map((call) => call.end()));
      },
    ),
    { numRuns: cases(120, 6) },
  );
});

describe('The only organization', () => {
  test('occupies every call without a lease, and a second one gets half of the calls within one lease of being noticed', async () => {
    const { services, organizationId: first } = await service();
    const second = 'second';
    await note(services, 1);
    const { begin, running, countOf } = functionOf(services, 10);
    for (let call = 0; call < 10; call += 1) expect(await begin(first)).toBe('running');
    expect(
      await services.table.get(callSlots, { work: 'traces', organizationId: first, hookId: null }),
    ).toBeUndefined();
    await note(services, 2);
    clock.advance(freshMilliseconds);
    // Messages of both wait: whenever a call ends, one of each organization begins, if it may.
    for (const call of [...running]) {
      await call.end();
      await begin(first);
      await begin(second);
    }
    expect([countOf(first), countOf(second)]).toEqual([5, 5]);
    expect(await begin(second)).toBeUndefined();
    await [...running].find(({ organizationId }) => organizationId === second)?.end();
    expect(await begin(first)).toBe('deferred');
    expect(await begin(second)).toBe('running');
    await Promise.all([...running].map((call) => call.end()));
  });

  test('A deployment that has not counted its organizations yet gives each the least number of calls', async () => {
    const { services } = await service();
    await services.table.writeMany([remove(activeOrganizations, {})]);
    expect(await new CallShare(100).countCalls(services, 3)).toBe(3);
  });
});
