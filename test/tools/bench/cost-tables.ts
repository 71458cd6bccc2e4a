/** Multiplies what `npm run cost` counted by list prices. */
import { idleDollars, lambdaDollars, runEventDollars, tableDollars } from './background-cost.ts';
import type { CountedCosts, DeployedResources, PerTest } from './counted-costs.ts';
import { QUICK, SLOW } from './generated-suite.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { logDollars, METRICS_PER_ROUTE } from './prod-cost.ts';
import type { Table } from './report.ts';
import { sum } from './sum.ts';

const TESTS_A_MONTH = [0, 10_000, 100_000, 1_000_000];
const GIGABYTE = 1e9;

/** The ways to record tests, by column heading. */
const WAYS: Readonly<Record<keyof CountedCosts['ways'], string>> = {
  oursQuick: 'Our reporter, quick tests',
  oursSlow: 'Our reporter, slow tests',
  uploaded: 'Uploaded in batches',
  publishedQuick: 'Published reporter, quick tests',
  publishedSlow: 'Published reporter, slow tests',
};

const waysOf = ({ ways }: CountedCosts): readonly PerTest[] => Object.values(ways);
const HEADINGS: readonly string[] = Object.values(WAYS);

const inDollars = (amount: number): string => `$${amount.toFixed(2)}`;
const inThousands = (count: number): string => count.toLocaleString('en');

function partsOf(of: PerTest, resources: DeployedResources) {
  const { calls, invocations, trips, readUnits, writeUnits, bytes } = of;
  return {
    gateway: calls * PRICES.gatewayRequest,
    lambda: lambdaDollars({ invocations, trips }),
    table: tableDollars({ readUnits, writeUnits }),
    storage: (bytes / GIGABYTE) * PRICES.storedGigabyteMonth,
    recovery: (bytes / GIGABYTE) * PRICES.recoverableGigabyteMonth,
    logs: logDollars(of, resources),
  };
}

const idleParts = ({ dev, sweeps }: CountedCosts) => idleDollars(dev, sweeps);
const runParts = ({ runEvent }: CountedCosts) => runEventDollars(runEvent);
const idleOf = (counted: CountedCosts): number => sum(Object.values(idleParts(counted)));
const runOf = (counted: CountedCosts): number => sum(Object.values(runParts(counted)));

/** The price of one test, with its share of the events of its run. */
const testDollars = (counted: CountedCosts, of: PerTest): number =>
  sum(Object.values(partsOf(of, counted.dev))) + runOf(counted) / of.testsPerRun;

/** Monthly costs by number of tests. All costs except those of an idle month grow with the number of tests. */
export function monthTable(counted: CountedCosts): Table {
  const idle = idleOf(counted);
  const rows = TESTS_A_MONTH.map((tests) => [
    tests === 0 ? 'none' : inThousands(tests),
    ...waysOf(counted).map((way) => inDollars(idle + tests * testDollars(counted, way))),
  ]);
  return [['Tests a month', ...HEADINGS], ...rows];
}

/** What one test needs, and the parts of its price. */
export function countTable(counted: CountedCosts): Table {
  const all = waysOf(counted);
  const count = (name: keyof PerTest, digits: number) => all.map((way) => way[name].toFixed(digits));
  const prices = all.map((way) => partsOf(way, counted.dev));
  const price = (name: keyof ReturnType<typeof partsOf>) => prices.map((of) => inDollars(of[name] * 1e6));
  return [
    ['Per test, or per million tests', ...HEADINGS],
    ['Requests at the gateway', ...count('calls', 4)],
    ['Lambda invocations', ...count('invocations', 4)],
    ['Table trips', ...count('trips', 2)],
    ['Read units', ...count('readUnits', 2)],
    ['Write units', ...count('writeUnits', 2)],
    ['Bytes stored', ...count('bytes', 0)],
    ['Gateway, per million', ...price('gateway')],
    ['Lambda, per million', ...price('lambda')],
    ['Table, per million', ...price('table')],
    ['Storage, per million and month kept', ...price('storage')],
    ['Point-in-time recovery, per million and month kept', ...price('recovery')],
    ['Logs, per million, kept for a month', ...price('logs')],
  ];
}

/** Costs that do not depend on the number of tests, and those of logs, counted requests and run events. */
export function besidesTable(counted: CountedCosts): Table {
  const { dev, prod, ways, countingUnits } = counted;
  const { queues, schedules } = idleParts(counted);
  const logs = (of: PerTest) => inDollars(logDollars(of, dev) * 1e6);
  const perRoute = prod.routes * METRICS_PER_ROUTE * PRICES.customMetricMonth;
  return [
    ['Besides requests', 'Per month'],
    [`${dev.queuesPolled} empty queues are polled`, inDollars(queues)],
    ['each key that signs access tokens', inDollars(PRICES.signingKeyMonth)],
    ['schedules sweep the table each minute, or every five minutes', inDollars(schedules)],
    [
      'counts of requests by organization and credential, a million requests',
      inDollars(countingUnits * PRICES.writeUnit * 1e6),
    ],
    [
      `alarms of prod: ${prod.alarms} alarms on ${prod.alarmMetrics} metrics`,
      inDollars(prod.alarmMetrics * PRICES.alarmMetricMonth),
    ],
    [
      `metrics per route (\`-c metricsPerRoute=true\`), if all ${prod.routes} routes are used all month`,
      `${inDollars(perRoute)} at most`,
    ],
    ['dashboard', `${inDollars(PRICES.dashboardMonth)}; the first three of an account are free`],
    [
      'logs of a million quick tests of the published reporter; of ours',
      `${logs(ways.publishedQuick)}; ${logs(ways.oursQuick)}`,
    ],
    ['a million runs sent to one webhook', inDollars(runOf(counted) * 1e6)],
  ];
}

/** The parts of the costs of idle months and of run events. */
export function backgroundTable(counted: CountedCosts): Table {
  const row = (what: string, parts: object, factor: number): string[] => {
    const prices = Object.entries(parts).filter(([, price]) => price > 0);
    const named = prices.map(([name, price]) => `${name} ${inDollars(price * factor)}`).join(', ');
    return [what, inDollars(sum(prices.map(([, price]) => price)) * factor), named];
  };
  return [
    ['Cost beyond requests', 'Dollars', 'Parts'],
    row('An idle month', idleParts(counted), 1),
    row('Events of a million runs, sent to one webhook', runParts(counted), 1e6),
  ];
}

/** What was measured, and what is assumed. */
export function assumptions({ ways }: CountedCosts): string {
  const { millisecondsPerInvocation, millisecondsPerTrip, functionGigabytes, millisecondsPerReceiver } = ASSUMED;
  const ofReporter = inThousands(ways.oursQuick.testsPerRun);
  return [
    `It assumes ${millisecondsPerInvocation} ms per invocation and ${millisecondsPerTrip} ms per table trip at ${functionGigabytes * 1024} MB. Each run has one webhook, whose receiver answers after ${millisecondsPerReceiver} ms.`,
    `Runs of a reporter have ${ofReporter} tests, uploaded runs ${inThousands(ways.uploaded.testsPerRun)}. Both reporters record real runs of Playwright: quick tests take ${QUICK.milliseconds} ms, slow ones ${SLOW.milliseconds / 1000} s.`,
  ].join('\n');
}

/** What a million tests add to an idle month. */
export function liveTests(counted: CountedCosts): string {
  const { oursQuick, oursSlow } = counted.ways;
  const quick = inDollars(testDollars(counted, oursQuick) * 1e6);
  const slow = inDollars(testDollars(counted, oursSlow) * 1e6);
  return `Each month includes the ${inDollars(idleOf(counted))} of an idle one, so a million live tests cost ${quick} if they are quick, and ${slow} if each takes ${SLOW.milliseconds / 1000} s and a run has ${SLOW.specs * SLOW.testsPerSpec} of them.`;
}

export const signingKey = (): string =>
  `The key that signs access tokens costs ${inDollars(PRICES.signingKeyMonth)} a month besides.`;
