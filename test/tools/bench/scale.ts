/**
 * The limits that a large organization meets, computed from what `npm run cost` counted: 1,000 projects, 10 million
 * tests a day, and 5,000 machines at once. The table stands in infra/README.md.
 */
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import type { Measurement } from './budgets.ts';
import { type CountedCosts, readCountedCosts } from './counted-costs.ts';
import { ASSUMED } from './prices.ts';
import { billedBytes, countFiles, DEFAULTS, findWay, monthDollars } from './prod-cost.ts';
import type { Table } from './report.ts';
import { computeSizing, countPerTest, type Load, type Reporter, TABLE_QUOTA } from './sizing.ts';

const TESTS_A_DAY = 10_000_000;
const DAYS_A_MONTH = 30;
/** The share of the tests of a day that end in its busiest hour. */
const BUSIEST_HOUR = 1 / 8;
const ALL_MACHINES: Load = { machines: 5000, workers: 4, seconds: 5 };
const TERABYTE = 1e12;
const GIGABYTE = 1e9;

/** Quotas of AWS for an account or a partition key. */
const QUOTAS = {
  gatewayRequestsPerSecond: 10_000,
  functions: 1000,
  /** Each function may get so many more environments in ten seconds. */
  newEnvironments: 1000,
  keyReadUnits: 3000,
  keyWriteUnits: 1000,
} as const;

/** The hottest partition key of one run, as `npm run bench` counts it with this many machines. */
const HOTTEST_OF_RUN = { machines: 800, readUnits: 1470, writeUnits: 404 } as const;

/** Messages that a call of a consumer takes, and how many calls a queue has at once by default. */
const CONSUMERS_AT_ONCE = 10;
const DELIVERIES_PER_CALL = 10;

interface Need {
  readonly what: string;
  /** What the published reporter and ours need, or what both need. */
  readonly published: number;
  readonly ours: number;
  readonly limit: number;
  readonly unit: string;
  readonly remedy: string;
}

interface Consumer {
  readonly messagesPerSecond: number;
  readonly millisecondsPerMessage: number;
}

const countConsumers = ({ messagesPerSecond, millisecondsPerMessage }: Consumer): number =>
  (messagesPerSecond * millisecondsPerMessage) / 1000;

/** After an outage of an hour, consumers work off its messages and those that still arrive. */
export function computeMinutesToCatchUp(consumer: Consumer, atOnce: number): number {
  const free = atOnce - countConsumers(consumer);
  return free <= 0 ? Number.POSITIVE_INFINITY : (60 * countConsumers(consumer)) / free;
}

/** What consumes the queues in the busiest hour. */
function listConsumers({ file, runEvent }: CountedCosts): { readonly files: Consumer; readonly webhooks: Consumer } {
  const testsPerSecond = (TESTS_A_DAY * BUSIEST_HOUR) / 3600;
  const { files, traces } = countFiles();
  const { millisecondsPerTrip, millisecondsPerConfirmation, millisecondsPerTrace, millisecondsPerReceiver } = ASSUMED;
  const { testsPerRun, eventsPerRun } = RUNS;
  return {
    files: {
      messagesPerSecond: testsPerSecond * files,
      millisecondsPerMessage:
        millisecondsPerConfirmation +
        (traces / files) * millisecondsPerTrace +
        file.confirmed.trips * millisecondsPerTrip,
    },
    webhooks: {
      messagesPerSecond: (testsPerSecond / testsPerRun) * eventsPerRun,
      millisecondsPerMessage:
        (millisecondsPerReceiver + runEvent.delivered.trips * millisecondsPerTrip) / DELIVERIES_PER_CALL,
    },
  };
}

/** Runs have as many tests as those that were counted, and send two events: their start and their end. */
const RUNS = { testsPerRun: 1000, eventsPerRun: 2 } as const;

export function listNeeds(counted: CountedCosts): Need[] {
  const sizing = {
    published: computeSizing(counted, 'published', ALL_MACHINES),
    ours: computeSizing(counted, 'ours', ALL_MACHINES),
  };
  const perTest = (reporter: Reporter) => countPerTest(counted, reporter, ALL_MACHINES.seconds);
  const { testsPerSecond } = sizing.ours;
  const both = (of: (reporter: Reporter) => number) => ({ published: of('published'), ours: of('ours') });
  const same = (value: number) => ({ published: value, ours: value });
  const month = TESTS_A_DAY * DAYS_A_MONTH;
  const { usageLimits, tableMaximum } = ENVIRONMENTS.prod;
  const consumers = listConsumers(counted);
  const fileBytes = countFiles().bytes * TESTS_A_DAY * DEFAULTS.filesDays;
  const machinesPerRun =
    HOTTEST_OF_RUN.machines *
    Math.min(QUOTAS.keyReadUnits / HOTTEST_OF_RUN.readUnits, QUOTAS.keyWriteUnits / HOTTEST_OF_RUN.writeUnits);
  return [
    {
      what: 'Requests at the gateway',
      ...both((reporter) => sizing[reporter].requestsPerSecond),
      limit: QUOTAS.gatewayRequestsPerSecond,
      unit: '/s',
      remedy: 'our reporter, or a larger quota of the account',
    },
    {
      what: 'Requests of one organization',
      ...both((reporter) => sizing[reporter].organizationThrottle),
      limit: ENVIRONMENTS.prod.organizationThrottle.requestsPerSecond,
      unit: '/s',
      remedy: '`throttle` and `organizationThrottle`',
    },
    {
      what: 'Machines that record one run: its hottest partition key',
      ...same(ALL_MACHINES.machines),
      limit: Math.floor(machinesPerRun / 100) * 100,
      unit: '',
      remedy: 'several runs, such as one for each part of the suite',
    },
    {
      what: 'Read units of the table',
      ...both((reporter) => testsPerSecond * perTest(reporter).readUnits),
      limit: Math.min(tableMaximum.readUnits, TABLE_QUOTA),
      unit: '/s',
      remedy: '`tableMaximum`; above 40,000 also a larger quota and `tableQuota`',
    },
    {
      what: 'Write units of the table',
      ...both((reporter) => testsPerSecond * perTest(reporter).writeUnits),
      limit: Math.min(tableMaximum.writeUnits, TABLE_QUOTA),
      unit: '/s',
      remedy: '`tableMaximum`',
    },
    {
      what: 'Write units of the hottest key that runs share: the count of requests of the organization',
      // Each counted request writes the count of the organization and that of the credential.
      ...both((reporter) => (sizing[reporter].requestsPerSecond * counted.countingUnits) / 2),
      limit: QUOTAS.keyWriteUnits,
      unit: '/s',
      remedy: 'none needed',
    },
    {
      what: 'Functions at once, while all machines start',
      ...same(ALL_MACHINES.machines + counted.prod.consumersAtOnce),
      limit: QUOTAS.functions,
      unit: '',
      remedy: 'a larger quota of the account and `lambdaConcurrency`; reporters repeat refused requests for a minute',
    },
    {
      what: 'Functions at once, while tests run',
      ...both((reporter) => sizing[reporter].functions),
      limit: QUOTAS.functions,
      unit: '',
      remedy: 'none needed',
    },
    {
      what: 'Calls at once that confirm files, in the busiest hour',
      ...same(countConsumers(consumers.files)),
      limit: CONSUMERS_AT_ONCE,
      unit: '',
      remedy: '`consumerConcurrency=50`; until then files wait in the queue, and none is lost',
    },
    {
      what: 'Calls at once that deliver webhooks, in the busiest hour',
      ...same(countConsumers(consumers.webhooks)),
      limit: CONSUMERS_AT_ONCE,
      unit: '',
      remedy: 'none needed',
    },
    {
      what: 'Minutes to catch up with files after an hour without consumers, with `consumerConcurrency=50`',
      ...same(computeMinutesToCatchUp(consumers.files, 50)),
      limit: 24 * 60,
      unit: '',
      remedy: 'none needed: a message is kept for days',
    },
    {
      what: 'Requests of a month',
      ...both((reporter) => month * perTest(reporter).calls),
      limit: usageLimits.requestsPerMonth,
      unit: '',
      remedy: '`requestsPerMonth`; the default only warns the only organization',
    },
    {
      what: 'Files at the steady state',
      ...same(fileBytes / GIGABYTE),
      limit: usageLimits.storedBytes / GIGABYTE,
      unit: ' GB',
      remedy: '`storedGigabytes`, and `filesDays=30` for a third of it',
    },
    {
      what: 'Table at the steady state',
      ...both(
        (reporter) =>
          (billedBytes(findWay(counted, WAYS[reporter]).perTest) * TESTS_A_DAY * DEFAULTS.resultsDays) / TERABYTE,
      ),
      limit: Number.POSITIVE_INFINITY,
      unit: ' TB',
      remedy: 'no limit of AWS; `resultsDays=90` for a quarter of it, or `tableClass`',
    },
    {
      what: 'Dollars a month',
      ...both((reporter) => monthDollars(counted, findWay(counted, WAYS[reporter]), month)),
      limit: Number.POSITIVE_INFINITY,
      unit: '',
      remedy: 'see [What it costs](costs.md)',
    },
  ];
}

const WAYS = { published: 'publishedSlow', ours: 'oursSlow' } as const;

function formatAmount(value: number): string {
  if (!Number.isFinite(value)) return 'none';
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

const format = (value: number, { limit, unit }: Need): string => {
  const amount = `${formatAmount(value)}${unit}`;
  return value > limit ? `**${amount}**` : amount;
};

export function makeScaleTable(counted: CountedCosts): Table {
  const rows = listNeeds(counted).map((need) => [
    need.what,
    format(need.published, need),
    format(need.ours, need),
    need.limit === Number.POSITIVE_INFINITY ? 'none' : `${formatAmount(need.limit)}${need.unit}`,
    need.remedy,
  ]);
  return [['What', 'Published reporter', 'Ours', 'Limit', 'Remedy'], ...rows];
}

/** Counts nothing anew: `npm run cost` has stored the counts. */
export async function measureScale(): Promise<Measurement[]> {
  const counted = await readCountedCosts();
  const { requestsPerSecond, testsPerSecond } = computeSizing(counted, 'ours', ALL_MACHINES);
  const { readUnits, writeUnits } = countPerTest(counted, 'ours', ALL_MACHINES.seconds);
  const month = TESTS_A_DAY * DAYS_A_MONTH;
  return [
    { name: 'scaleRequests', measured: requestsPerSecond },
    { name: 'scaleReads', measured: testsPerSecond * readUnits },
    { name: 'scaleWrites', measured: testsPerSecond * writeUnits },
    { name: 'scaleConsumers', measured: countConsumers(listConsumers(counted).files) },
    { name: 'scaleDollars', measured: monthDollars(counted, findWay(counted, WAYS.ours), month) },
  ];
}
