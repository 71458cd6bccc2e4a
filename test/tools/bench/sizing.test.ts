/** The sizing table of the guide, and a simulation of the gateway under each of its loads. */

import { describe, expect, test, vi } from 'vitest';
import { deriveDefaultLimits, ENVIRONMENTS, type Environment } from '#infra/build/environments.ts';
import { makeTokenBucket } from '#infra/local/gateway/token-bucket.ts';
import { parseAppSettings } from '#infra/stacks/settings.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { type CountedCosts, readCountedCosts } from './counted-costs.ts';
import { computeSizing, countPerTest, LOADS, type Load, type Reporter } from './sizing.ts';
import { readSizedDocument, replaceSizing } from './sizing-document.ts';

const REPORTERS: readonly Reporter[] = ['published', 'ours'];
const SIMULATED_SECONDS = 40;
/** The machines of a build start within this time. */
const START_SECONDS = 2;

interface SimulatedRequest {
  readonly at: number;
  readonly method: string;
}

/**
 * The requests of all machines in order. Each machine starts, and claims or announces its files. Then its workers run
 * tests that take between half and one and a half times the duration. The published reporter sends a request at the
 * begin of each test, one at its end and others between them. Ours sends batches.
 */
function listRequests(counted: CountedCosts, reporter: Reporter, { machines, workers, seconds }: Load) {
  const { calls } = countPerTest(counted, reporter, seconds);
  const requests: SimulatedRequest[] = [];
  for (let machine = 0; machine < machines; machine += 1) {
    const begin = (machine / machines) * START_SECONDS;
    requests.push({ at: begin, method: 'start' });
    for (let worker = 0; worker < workers; worker += 1) {
      requests.push({ at: begin + 1, method: 'claim' });
      let owed = ((machine * workers + worker) % 100) / 100;
      let at = begin + 1 + (worker / workers) * seconds;
      for (let number = 0; at < SIMULATED_SECONDS; number += 1) {
        const share = ((number * 7919 + machine * 31 + worker) % 1000) / 1000;
        const end = at + seconds * (0.5 + share);
        if (reporter === 'published') requests.push({ at, method: 'begin' }, { at: end, method: 'end' });
        owed += reporter === 'published' ? Math.max(0, calls - 2) : calls;
        for (; owed >= 1; owed -= 1)
          requests.push({ at: (at + end) / 2, method: reporter === 'ours' ? 'batch' : 'progress' });
        at = end;
      }
    }
  }
  return requests.filter(({ at }) => at < SIMULATED_SECONDS).sort((one, other) => one.at - other.at);
}

/** The requests that the buckets of methods and organization, or the rate of a single key, refuse. */
function countRefusals(environment: Environment, requests: readonly SimulatedRequest[]): number {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  try {
    const share = makeTokenBucket(environment.organizationThrottle);
    const methods = new Map<string, () => boolean>();
    const windows = new Map<number, number>();
    const perWindow =
      (deriveDefaultLimits(environment).keyRequestsPerMinute * USAGE_LIMITS.windowMilliseconds) / 60_000;
    let refusals = 0;
    for (const { at, method } of requests) {
      vi.setSystemTime(at * 1000);
      const bucket = methods.get(method) ?? makeTokenBucket(environment.throttle);
      methods.set(method, bucket);
      const window = Math.floor((at * 1000) / USAGE_LIMITS.windowMilliseconds);
      const inWindow = (windows.get(window) ?? 0) + 1;
      windows.set(window, inWindow);
      if (!bucket() || !share() || inWindow > perWindow) refusals += 1;
    }
    return refusals;
  } finally {
    vi.useRealTimers();
  }
}

const pickSettings = ({ throttle, organizationThrottle, tableMaximum }: ReturnType<typeof computeSizing>) => ({
  throttle,
  organizationThrottle,
  tableMaximum,
});

describe('The sizing table', () => {
  test('The guide shows exactly the settings that follow from the stored result of npm run cost', async () => {
    const text = await readSizedDocument();
    expect(text, 'Run `npm run cost -- --stored`, which corrects infra/README.md').toBe(
      replaceSizing(text, await readCountedCosts()),
    );
    const { ways, ...others } = await readCountedCosts();
    const { publishedQuick } = ways;
    const busier = {
      ...others,
      ways: { ...ways, publishedQuick: { ...publishedQuick, calls: 2 * publishedQuick.calls } },
    };
    expect(replaceSizing(text, busier)).not.toBe(text);
  });

  test('No load of the table is refused with the settings that the table names for it, whichever reporter sends it', async () => {
    const counted = await readCountedCosts();
    for (const load of LOADS) {
      for (const reporter of REPORTERS) {
        const { tableMaximum, ...throttles } = pickSettings(computeSizing(counted, reporter, load));
        const { readUnits, writeUnits } = tableMaximum;
        const settings = {
          ...throttles,
          tableMaximum: `${readUnits},${writeUnits}`,
          tableQuota: Math.max(40_000, readUnits, writeUnits),
        };
        const { environment } = parseAppSettings('prod', settings);
        const refused = countRefusals(environment, listRequests(counted, reporter, load));
        expect({ load, reporter, refused }).toEqual({ load, reporter, refused: 0 });
      }
    }
  });

  test('The defaults of prod refuse the published reporter of 800 machines with quick tests, and take ours', async () => {
    const counted = await readCountedCosts();
    const load = { machines: 800, workers: 4, seconds: 2 };
    const refusedOf = (reporter: Reporter) => countRefusals(ENVIRONMENTS.prod, listRequests(counted, reporter, load));
    expect(refusedOf('published')).toBeGreaterThan(1000);
    expect(refusedOf('ours')).toBe(0);
  });
});
