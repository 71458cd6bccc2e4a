/**
 * Compares the stored counts with an oracle that counts every request. Several instances of a function, which may end
 * without notice, count the requests of two organizations over days and months.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiActor } from '#shared/access/actor.ts';
import { makeLookupResult } from '#shared/engine/table/found.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { getMonthCredentialsSpan, monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import { UNLIMITED, type UsageLimits } from '#shared/model/usage/usage-limits.ts';
import type { Services } from '#shared/services.ts';
import { toCaller } from '#shared/usage/count-requests.ts';
import { Gauge } from '#shared/usage/gauge.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { computeWindowNumber, formatMonth } from '#shared/usage/periods.ts';
import { cases } from '#test/harness/cases.ts';
import { clock, START, service, type Tenant } from '#test/harness/service.ts';

const { sampleEvery, windowMilliseconds } = USAGE_LIMITS;
const DAY = 24 * 3600 * 1000;

/**
 * Returns two organizations, and functions that simulate instances of a function: `start` starts an instance, and
 * `send` sends a request to it.
 */
async function instancesOf(limits: UsageLimits) {
  const { services, tenant, ...first } = await service();
  const start = () => new Gauge(limits);
  const send = async (gauge: Gauge, actor: ApiActor, { randomId }: Pick<Services, 'randomId'> = services) => {
    const { organizationId } = actor;
    const now = services.now();
    const rows = gauge.rowsOf(toCaller(actor), now);
    const found =
      rows.length === 0 ? makeLookupResult([]) : await services.table.getTogether(rows, { consistent: true });
    const organization = await organizationOf(organizationId);
    gauge.rememberRows(toCaller(actor), organization, { kind: 'read', rows: found }, now);
    return gauge.admit({ ...services, randomId }, actor, 'results:read');
  };
  const known = new Map<string, Parameters<Gauge['rememberRows']>[1]>();
  const organizationOf = async (organizationId: string) => {
    const read = known.get(organizationId) ?? (await services.table.get(organizations, { organizationId }));
    if (!read) throw new Error('The organization of the test does not exist');
    known.set(organizationId, read);
    return read;
  };
  return { services, start, send, tenants: [first, await tenant()] as const };
}

const keyOf = ({ organizationId }: Tenant, keyId: string): ApiActor => ({
  kind: 'apiKey',
  organizationId,
  keyId,
  label: keyId,
  level: 'readWrite',
});

const KEYS = ['one', 'two'];
const INSTANCES = 3;

/** What happens next: requests of several instances at the same time, the end of an instance, or the passing of time. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      bursts: fc.uniqueArray(
        fc.record({
          instance: fc.nat(INSTANCES - 1),
          organization: fc.nat(1),
          key: fc.nat(KEYS.length - 1),
          requests: fc.integer({ min: 1, max: 90 }),
        }),
        { selector: ({ instance }) => instance, minLength: 1, maxLength: INSTANCES },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), instance: fc.nat(INSTANCES - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      milliseconds: fc.constantFrom(1000, windowMilliseconds, DAY, 31 * DAY),
    }),
  },
);

test('For any interleaving of instances that may end at any time, each stored count differs from the number of requests by less than 32 per instance and key, and limits apply less than 32 requests too early and less than 64 too late, per instance and key', async () => {
  const limits = { requestsPerMonth: 700, keyRequestsPerMinute: 400, storedBytes: 1 };
  const { services, start, send, tenants } = await instancesOf(limits);
  const perWindow = (limits.keyRequestsPerMinute * windowMilliseconds) / 60_000;
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }), async (steps) => {
      // Each case has months and keys of its own.
      round += 1;
      clock.set(START.getTime() + round * 400 * DAY);
      const instances = Array.from({ length: INSTANCES }, (_, number) => ({ gauge: start(), number }));
      let started = INSTANCES;
      const counts = new Map<string, { requests: number; senders: Set<string> }>();
      const countOf = (...of: readonly (string | number)[]) => {
        const name = of.join(' ');
        const count = counts.get(name) ?? { requests: 0, senders: new Set() };
        counts.set(name, count);
        return count;
      };
      for (const one of steps) {
        if (one.kind === 'wait') clock.advance(one.milliseconds);
        if (one.kind === 'end') instances[one.instance] = { gauge: start(), number: started++ };
        if (one.kind !== 'send') continue;
        await Promise.all(
          one.bursts.map(async ({ instance, organization, key, requests }) => {
            const { gauge, number } = instances[instance] ?? { gauge: start(), number: started++ };
            const actor = keyOf(tenants[organization === 0 ? 0 : 1], `${KEYS[key]} ${round}`);
            const now = Date.now();
            const { organizationId } = actor;
            const credential = toCaller(actor).credentialId;
            const ofMonth = countOf(organizationId, formatMonth(now));
            const ofKey = countOf(organizationId, formatMonth(now), credential);
            const ofWindow = countOf(organizationId, credential, computeWindowNumber(now));
            for (let sent = 0; sent < requests; sent += 1) {
              const all = [ofMonth, ofKey, ofWindow];
              for (const { senders } of all) senders.add(`${number} ${credential}`);
              const { excess } = await send(gauge, actor);
              const slack = ({ senders }: typeof ofMonth) => sampleEvery * senders.size;
              if (!excess) for (const count of all) count.requests += 1;
              else if (excess.kind === 'month')
                expect(ofMonth.requests).toBeGreaterThan(limits.requestsPerMonth - slack(ofMonth));
              else expect(ofWindow.requests).toBeGreaterThan(perWindow - slack(ofWindow));
              expect(ofMonth.requests).toBeLessThan(limits.requestsPerMonth + 2 * slack(ofMonth));
              expect(ofWindow.requests).toBeLessThan(perWindow + 2 * slack(ofWindow));
            }
          }),
        );
      }
      for (const { organizationId } of tenants) {
        const months = [...counts.keys()].flatMap((name) => {
          const [organization, month, key] = name.split(' ');
          return organization === organizationId && key === undefined && month ? [month] : [];
        });
        for (const month of months) {
          const { requests, senders } = countOf(organizationId, month);
          const stored = await services.table.get(monthsOfRequests, { organizationId, month });
          const { requests: counted = 0, refused, expiresAt, ...days } = stored ?? {};
          expect(Math.abs(counted - requests)).toBeLessThan(sampleEvery * senders.size);
          const ofDays = Object.entries(days).flatMap(([name, value]) => (name.startsWith('day') ? Number(value) : []));
          expect(ofDays.reduce((sum, one) => sum + one, 0)).toBe(counted);
          const span = getMonthCredentialsSpan({ organizationId, month });
          for (const { credentialId, requests: ofKey } of await services.table.queryAll(requestsOfCredentials, span)) {
            const own = countOf(organizationId, month, credentialId);
            expect(Math.abs(ofKey - own.requests)).toBeLessThan(sampleEvery * own.senders.size);
          }
        }
      }
    }),
    { numRuns: cases(100, 8) },
  );
});

test('Requests are counted within the sampling error even if each instance ends after five requests', async () => {
  const { services, start, send, tenants } = await instancesOf(UNLIMITED);
  const [{ organizationId }] = tenants;
  // Fixed random numbers, so that the test never fails by chance.
  let seed = 1;
  const randomId = (characters: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed >>> 3).toString(16).padStart(characters, '0').slice(-characters);
  };
  const actor = keyOf(tenants[0], 'short');
  const sent = 5 * SHORT_INSTANCES;
  for (let instance = 0; instance < SHORT_INSTANCES; instance += 1) {
    const gauge = start();
    for (let request = 0; request < 5; request += 1) await send(gauge, actor, { randomId });
  }
  const stored = await services.table.get(monthsOfRequests, { organizationId, month: formatMonth(Date.now()) });
  // Three standard deviations.
  const error = 3 * Math.sqrt(sent * sampleEvery);
  expect(Math.abs((stored?.requests ?? 0) - sent)).toBeLessThan(error);
  expect(stored?.requests).toBeGreaterThan(0);
});

const SHORT_INSTANCES = 300;
