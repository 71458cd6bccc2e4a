/**
 * The settings that a number of CI machines needs, computed from the requests and capacity units per test that
 * `npm run cost` counted.
 */
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import type { CountedCosts, PerTest } from './counted-costs.ts';
import { SLOW } from './generated-suite.ts';
import { ASSUMED } from './prices.ts';
import type { Table } from './report.ts';

export interface Load {
  readonly machines: number;
  readonly workers: number;
  /** How long a worker takes for a test. */
  readonly seconds: number;
}

export type Reporter = 'published' | 'ours';

export const LOADS: readonly Load[] = [
  { machines: 20, workers: 4, seconds: 5 },
  { machines: 50, workers: 4, seconds: 2 },
  { machines: 200, workers: 4, seconds: 5 },
  { machines: 200, workers: 4, seconds: 2 },
  { machines: 800, workers: 1, seconds: 5 },
  { machines: 800, workers: 4, seconds: 5 },
  { machines: 800, workers: 4, seconds: 2 },
];

/** Above what was counted: machines do not send evenly, and retries and people send requests, too. */
const HEADROOM = 1.5;

/** Between the two counted durations, counts grow evenly with the duration of a test. */
export function countPerTest({ ways }: CountedCosts, reporter: Reporter, seconds: number) {
  const [quick, slow] =
    reporter === 'published' ? [ways.publishedQuick, ways.publishedSlow] : [ways.oursQuick, ways.oursSlow];
  const part = Math.min(1, seconds / (SLOW.milliseconds / 1000));
  const between = (name: keyof PerTest) => quick[name] + part * (slow[name] - quick[name]);
  return {
    calls: between('calls'),
    invocations: between('invocations'),
    trips: between('trips'),
    readUnits: between('readUnits'),
    writeUnits: between('writeUnits'),
  };
}

interface Sizing {
  readonly testsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly throttle: number;
  readonly organizationThrottle: number;
  readonly tableMaximum: { readonly readUnits: number; readonly writeUnits: number };
  /** Functions that run at the same time, by Little's law. */
  readonly functions: number;
}

/** The settings of prod that this load needs. They are never below the defaults of prod. */
export function computeSizing(counted: CountedCosts, reporter: Reporter, load: Load): Sizing {
  const { calls, invocations, trips, readUnits, writeUnits } = countPerTest(counted, reporter, load.seconds);
  const testsPerSecond = (load.machines * load.workers) / load.seconds;
  const { throttle, organizationThrottle, tableMaximum } = ENVIRONMENTS.prod;
  const peak = HEADROOM * testsPerSecond * calls;
  const atLeast = (least: number, needed: number) => (needed <= least ? least : roundUp(needed));
  const busy = invocations * ASSUMED.millisecondsPerInvocation + trips * ASSUMED.millisecondsPerTrip;
  return {
    testsPerSecond,
    requestsPerSecond: testsPerSecond * calls,
    // A single organization leaves no room for others.
    throttle: atLeast(throttle.requestsPerSecond, peak),
    organizationThrottle: atLeast(organizationThrottle.requestsPerSecond, peak),
    tableMaximum: {
      readUnits: atLeast(tableMaximum.readUnits, HEADROOM * testsPerSecond * readUnits),
      writeUnits: atLeast(tableMaximum.writeUnits, HEADROOM * testsPerSecond * writeUnits),
    },
    functions: Math.ceil((testsPerSecond * busy) / 1000),
  };
}

/** To two digits, such as 6,300 to 6,300 and 6,301 to 6,400. */
function roundUp(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / unit) * unit;
}

/** The quota of AWS for the units of one table. */
export const TABLE_QUOTA = 40_000;

function listSettings({ throttle, organizationThrottle, tableMaximum }: Sizing): string {
  const { readUnits, writeUnits } = tableMaximum;
  const most = Math.max(readUnits, writeUnits);
  const settings = [
    throttle > ENVIRONMENTS.prod.throttle.requestsPerSecond ? `throttle=${throttle}` : [],
    organizationThrottle > ENVIRONMENTS.prod.organizationThrottle.requestsPerSecond
      ? `organizationThrottle=${organizationThrottle}`
      : [],
    readUnits > ENVIRONMENTS.prod.tableMaximum.readUnits || writeUnits > ENVIRONMENTS.prod.tableMaximum.writeUnits
      ? `tableMaximum=${readUnits},${writeUnits}`
      : [],
    most > TABLE_QUOTA ? `tableQuota=${most}` : [],
  ].flat();
  return settings.length === 0 ? 'defaults' : settings.map((setting) => `\`${setting}\``).join(' ');
}

const format = (value: number): string => Math.round(value).toLocaleString('en');

export function makeSizingTable(counted: CountedCosts): Table {
  const rows = LOADS.map((load) => {
    const [published, ours] = (['published', 'ours'] as const).map((reporter) =>
      computeSizing(counted, reporter, load),
    );
    const cells = (sizing: Sizing | undefined) =>
      sizing ? [format(sizing.requestsPerSecond), listSettings(sizing), format(sizing.functions)] : [];
    return [
      `${load.machines} x ${load.workers} x ${load.seconds} s`,
      format(published?.testsPerSecond ?? 0),
      ...cells(published),
      ...cells(ours),
    ];
  });
  return [
    [
      'Machines x workers x test',
      'Tests/s',
      'Published reporter: requests/s',
      'settings of prod',
      'functions at once',
      'Ours: requests/s',
      'settings of prod',
      'functions at once',
    ],
    ...rows,
  ];
}
