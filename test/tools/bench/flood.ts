/**
 * Measures the cost of counting requests for usage limits, and floods the service with requests of one of 1,000 keys.
 * All functions of the bench share one machine, so a flood delays other requests more than on AWS.
 */

import { OPERATOR } from '#shared/access/actor.ts';
import { Verifier } from '#shared/access/verify.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { changeUsageLimits } from '#shared/organizations/usage-limits.ts';
import { Gauge } from '#shared/usage/gauge.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { computeWindowNumber } from '#shared/usage/periods.ts';
import { client } from '#test/harness/client.ts';
import { NOBODY } from '#test/harness/issuer.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { median, quantile } from './medians.ts';

const KEYS = 1000;
const COUNTED_KEYS = 10;
const INSTANCES = 4;
const COUNTED_REQUESTS = 4000;
const PER_MINUTE = 600;
const ROUNDS = 2;

export async function measureFlood(service: BenchService): Promise<Measurement[]> {
  // The flood needs other keys, because counted requests may use up the rate limit of their key.
  const { writeUnits, note } = await countingCost(service);
  const counting: Measurement = { name: 'countingUnits', measured: writeUnits, note };
  return [counting, ...(await floodWith(service, await newKeys(service, KEYS)))];
}

function newKeys({ services, organizationId }: BenchService, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return mapConcurrently(numbers, async (number) => {
    const key = { organizationId, label: `key ${number}`, level: 'readOnly', actor: OPERATOR } as const;
    return (await createApiKey(services, key)).value;
  });
}

/**
 * Authorizes and counts requests as the authorizer does, distributed over several instances. Returns the write units
 * per request.
 */
export async function countingCost(service: BenchService): Promise<{ writeUnits: number; note: string }> {
  const { services } = service;
  const keys = await newKeys(service, COUNTED_KEYS);
  const table = services.table.metered();
  const metered = { ...services, table };
  const instances = Array.from({ length: INSTANCES }, () => ({
    verifier: new Verifier(NOBODY),
    gauge: new Gauge(services.defaultLimits),
  }));
  for (let sent = 0; sent < COUNTED_REQUESTS; sent += 1) {
    const { verifier, gauge } = instances[sent % INSTANCES] ?? {
      verifier: new Verifier(NOBODY),
      gauge: new Gauge(services.defaultLimits),
    };
    const key = keys[Math.floor(sent / INSTANCES) % keys.length];
    const actor = await verifier.verify(metered, key, { alsoRead: gauge });
    if (!actor) throw new Error('A key of the bench was refused');
    await gauge.admit(metered, actor, 'projects:read');
  }
  const { writeUnits, readUnits, trips } = table.meter;
  const each = (units: number) => (units / COUNTED_REQUESTS).toFixed(2);
  const note = `with the credential ${each(readUnits)} RRU and ${each(trips)} trips; ${INSTANCES} instances, ${keys.length} keys`;
  return { writeUnits: writeUnits / COUNTED_REQUESTS, note };
}

/** Each round sends requests with all other keys twice: without a flood, and during a flood. */
async function floodWith(
  { origin, services, organizationId }: BenchService,
  [flooding = '', ...others]: readonly string[],
): Promise<Measurement[]> {
  await changeUsageLimits(services, {
    organizationId,
    actor: OPERATOR,
    change: { keyRequestsPerMinute: PER_MINUTE },
  });
  const flooder = client(origin, flooding);
  const timed = async (key: string) => {
    const begin = performance.now();
    const { status } = await client(origin, key).get('/projects');
    if (status !== 200) throw new Error(`A key that did not flood was answered with ${status}`);
    return performance.now() - begin;
  };
  const inTurn = async () => {
    const times: number[] = [];
    for (const key of others) times.push(await timed(key));
    return times;
  };
  await inTurn();
  const alone: number[] = [];
  const beside: number[] = [];
  let passed = 0;
  let refused = 0;
  let isFlooding = false;
  const windows = new Set<number>();
  const flood = async () => {
    while (isFlooding) {
      windows.add(computeWindowNumber(Date.now()));
      const { status } = await flooder.get('/projects');
      if (status === 429) refused += 1;
      else passed += 1;
    }
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(...(await inTurn()));
    isFlooding = true;
    const ended = flood();
    beside.push(...(await inTurn()));
    isFlooding = false;
    await ended;
  }
  const allowed = (windows.size * PER_MINUTE * USAGE_LIMITS.windowMilliseconds) / 60_000;
  const shown = (times: readonly number[]) =>
    `p99 ${quantile(times, 0.99).toFixed(0)} ms, median ${median(times).toFixed(0)} ms`;
  const note = `alone ${shown(alone)}; beside ${shown(beside)}; ${ROUNDS} rounds of ${others.length} requests`;
  return [
    { name: 'floodDelay', measured: quantile(beside, 0.99) / quantile(alone, 0.99), note },
    {
      name: 'floodPassed',
      measured: passed / allowed,
      note: `${passed} of ${passed + refused} requests, limit ${allowed}`,
    },
  ];
}
