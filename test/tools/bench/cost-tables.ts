/** Multiplies what `npm run cost` counted by list prices. */
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { idleDollars, lambdaDollars, runEventDollars, tableDollars } from './background-cost.ts';
import type { CountedCosts, PerTest } from './counted-costs.ts';
import { QUICK, SLOW } from './generated-suite.ts';
import { ASSUMED, PRICES } from './prices.ts';
import {
  billedBytes,
  type Choices,
  DEFAULTS,
  findWay,
  fixedParts,
  logDollars,
  METRICS_PER_ROUTE,
  monthDollars,
  PARTS,
  type Part,
  partsOfMonth,
} from './prod-cost.ts';
import type { Table } from './report.ts';
import { sum } from './sum.ts';

/** The last two are a company of 300 people, and 10 million tests a day. */
const TESTS_A_MONTH = [0, 10_000, 100_000, 1_000_000, 12_000_000, 300_000_000];
const MOST_TESTS = 300_000_000;
const MEDIUM_TESTS = 12_000_000;
const GIGABYTE = 1e9;

type WayName = keyof CountedCosts['ways'];

/** The ways to record tests, by column heading. */
const WAYS: Readonly<Record<WayName, string>> = {
  oursQuick: 'Our reporter, quick tests',
  oursSlow: 'Our reporter, slow tests',
  uploaded: 'Uploaded in batches',
  publishedQuick: 'Published reporter, quick tests',
  publishedSlow: 'Published reporter, slow tests',
};

const WAY_NAMES: readonly WayName[] = ['oursQuick', 'oursSlow', 'uploaded', 'publishedQuick', 'publishedSlow'];
const HEADINGS: readonly string[] = Object.values(WAYS);
const PART_NAMES = Object.keys(PARTS) as readonly Part[];

/** Cents matter in small amounts only. */
const inDollars = (amount: number): string =>
  Math.abs(amount) < 1000 ? `$${amount.toFixed(2)}` : `$${Math.round(amount).toLocaleString('en')}`;
const inThousands = (count: number): string => count.toLocaleString('en');
const inPercent = (share: number): string => `${Math.round(share * 100)} %`;

const waysOf = ({ ways }: CountedCosts): readonly PerTest[] => WAY_NAMES.map((name) => ways[name]);

const idleParts = ({ dev, sweeps }: CountedCosts) => idleDollars(dev, sweeps);
const runParts = ({ runEvent }: CountedCosts) => runEventDollars(runEvent);
const runOf = (counted: CountedCosts): number => sum(Object.values(runParts(counted)));

/** What a month of prod costs after a year, by the number of tests. */
export function monthTable(counted: CountedCosts): Table {
  const rows = TESTS_A_MONTH.map((tests) => [
    tests === 0 ? 'none' : inThousands(tests),
    ...WAY_NAMES.map((name) => inDollars(monthDollars(counted, findWay(counted, name), tests))),
  ]);
  return [['Tests a month', ...HEADINGS], ...rows];
}

/** What the table of months includes and what it leaves out, in the words of a reader who compares it with a bill. */
export const scope = (): string =>
  [
    `A month of prod that has run for a year, so that as much expires as is recorded: results are kept for ${DEFAULTS.resultsDays} days, files for ${DEFAULTS.filesDays} and, deleted, for ${ENVIRONMENTS.prod.deletedFilesDays} more. It includes requests, functions, the table with recovery, files of failed tests, logs, one webhook per run, pages and polls of readers, outgoing traffic, alarms, metrics, polling and schedules.`,
    'It leaves out the free tier, discounts for volume, caches of CI jobs, imports of report files, exports, rebuilds, calls of agents and scripts, notifications and issue trackers, a firewall (`webAcl`), keys of your own, networks (`subnets`), backups to another account, tracing, the dashboard, taxes and support.',
  ].join('\n');

/** The parts of a month. */
export function partsTable(counted: CountedCosts, tests = MEDIUM_TESTS): Table {
  const parts = WAY_NAMES.map((name) => partsOfMonth(counted, findWay(counted, name), tests));
  return [
    [`${inThousands(tests)} tests a month`, ...HEADINGS],
    ...PART_NAMES.map((part) => [PARTS[part], ...parts.map((of) => inDollars(of[part]))]),
    ['sum', ...parts.map((of) => inDollars(sum(Object.values(of))))],
  ];
}

export const largestPartsTable = (counted: CountedCosts): Table => partsTable(counted, MOST_TESTS);

/** Which parts make up most of the cost of 10 million tests a day. */
export function dominance(counted: CountedCosts): string {
  const sentences = WAY_NAMES.map((name) => {
    const parts = partsOfMonth(counted, findWay(counted, name), MOST_TESTS);
    const whole = sum(Object.values(parts));
    const largest = PART_NAMES.toSorted((one, other) => parts[other] - parts[one]).slice(0, 3);
    const shares = largest.map((part) => `${PARTS[part]} ${inPercent(parts[part] / whole)}`);
    return `- ${WAYS[name]}: ${shares.join('; ')}.`;
  });
  return ['At 10 million tests a day, these three parts are the largest:', '', ...sentences].join('\n');
}

interface Remedy {
  readonly name: string;
  readonly choices?: Partial<Choices>;
  /** The way that replaces the one of the column. */
  readonly way?: Readonly<Partial<Record<WayName, WayName>>>;
}

const REMEDIES: readonly Remedy[] = [
  {
    name: 'our reporter instead of the published one',
    way: { publishedQuick: 'oursQuick', publishedSlow: 'oursSlow' },
  },
  { name: 'files for 30 days (retention, `filesDays`)', choices: { filesDays: 30 } },
  { name: 'results for 90 days (retention, `resultsDays`)', choices: { resultsDays: 90 } },
  {
    name: 'table class Standard-IA (`-c tableClass=standard-infrequent-access`)',
    choices: { tableClass: 'infrequent' },
  },
  { name: 'files in S3 Intelligent-Tiering (no setting: a rule of the bucket)', choices: { fileClass: 'tiered' } },
  {
    name: 'files in S3 Standard-IA after 30 days (no setting: a rule of the bucket)',
    choices: { fileClass: 'infrequent' },
  },
];

/** What each remedy alone saves at 10 million tests a day. A negative amount is a loss. */
export function remedyTable(counted: CountedCosts): Table {
  const month = (name: WayName, choices: Partial<Choices> = {}) =>
    monthDollars(counted, findWay(counted, name), MOST_TESTS, { ...DEFAULTS, ...choices });
  const rows = REMEDIES.map(({ name: title, choices, way = {} }) => [
    title,
    ...WAY_NAMES.map((name) => {
      if (choices === undefined && way[name] === undefined) return '';
      return inDollars(month(name) - month(way[name] ?? name, choices));
    }),
  ]);
  return [['Saved a month at 10 million tests a day', ...HEADINGS], ...rows];
}

/** What one test needs, and the parts of its price. */
export function countTable(counted: CountedCosts): Table {
  const all = waysOf(counted);
  const count = (name: keyof PerTest, digits: number) => all.map((way) => way[name].toFixed(digits));
  const price = (dollars: (of: PerTest) => number) => all.map((way) => inDollars(dollars(way) * 1e6));
  const gigabytes = (of: PerTest) => billedBytes(of) / GIGABYTE;
  return [
    ['Per test, or per million tests', ...HEADINGS],
    ['Requests at the gateway', ...count('calls', 4)],
    ['Lambda invocations', ...count('invocations', 4)],
    ['Table trips', ...count('trips', 2)],
    ['Read units', ...count('readUnits', 2)],
    ['Write units', ...count('writeUnits', 2)],
    ['Bytes stored', ...count('bytes', 0)],
    ['Items stored', ...count('items', 2)],
    ['Gateway, per million', ...price(({ calls }) => calls * PRICES.gatewayRequest)],
    ['Lambda, per million', ...price(lambdaDollars)],
    ['Table, per million', ...price(tableDollars)],
    ['Storage, per million and month kept', ...price((of) => gigabytes(of) * PRICES.storedGigabyteMonth)],
    [
      'Point-in-time recovery, per million and month kept',
      ...price((of) => gigabytes(of) * PRICES.recoverableGigabyteMonth),
    ],
    ['Logs, per million', ...price((of) => logDollars(of, counted.prod, ENVIRONMENTS.prod.logRetentionDays))],
  ];
}

/** Costs that do not depend on the number of tests, and those of logs, counted requests and run events. */
export function besidesTable(counted: CountedCosts): Table {
  const { dev, prod, ways, countingUnits } = counted;
  const { queues, schedules } = idleParts(counted);
  const logs = (of: PerTest) => inDollars(logDollars(of, prod, ENVIRONMENTS.prod.logRetentionDays) * 1e6);
  const perRoute = prod.routes * METRICS_PER_ROUTE * PRICES.customMetricMonth;
  const { 'custom metrics': customMetrics } = fixedParts(counted);
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
      `${prod.logMetrics} metrics that are filtered from logs, if each has values all month`,
      `${inDollars(customMetrics)} at most`,
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
    row('An idle month of dev', idleParts(counted), 1),
    row('An idle month of prod', fixedParts(counted), 1),
    row('Events of a million runs, sent to one webhook', runParts(counted), 1e6),
  ];
}

/** What was measured, and what is assumed. */
export function assumptions({ ways }: CountedCosts): string {
  const { millisecondsPerInvocation, millisecondsPerTrip, functionGigabytes, millisecondsPerReceiver } = ASSUMED;
  const { failingShare, executions, megabytes } = ASSUMED.files;
  const { perMillionTests, pagesADay, watchedMinutesADay, secondsPerPoll, changedShare } = ASSUMED.readers;
  const ofReporter = inThousands(ways.oursQuick.testsPerRun);
  const sizes = Object.entries(megabytes).map(([type, size]) => `a ${type} of ${size} MB`);
  return [
    `- **Time.** ${millisecondsPerInvocation} ms per invocation and ${millisecondsPerTrip} ms per table trip at ${functionGigabytes * 1024} MB. The receiver of the webhook answers after ${millisecondsPerReceiver} ms.`,
    `- **Runs.** Runs of a reporter have ${ofReporter} tests, uploaded runs ${inThousands(ways.uploaded.testsPerRun)}. Both reporters record real runs of Playwright: quick tests take ${QUICK.milliseconds} ms, slow ones ${SLOW.milliseconds / 1000} s.`,
    `- **Files.** ${inPercent(failingShare)} of the tests fail in each of ${executions} executions, and each failed execution has ${sizes.slice(0, -1).join(', ')} and ${sizes.at(-1)}. ${inPercent(ASSUMED.downloadedShare)} of the bytes are downloaded. Analyzing a trace takes ${ASSUMED.millisecondsPerTrace / 1000} s.`,
    `- **Readers.** Per million tests a month, ${perMillionTests} people open ${pagesADay} pages a day, each like that of a run, and watch runs in progress for ${watchedMinutesADay} minutes, in which their browser polls each ${secondsPerPoll} seconds, and reads the page again after ${changedShare * 100} % of the polls.`,
    `- **Table.** Each item is billed with ${ASSUMED.itemOverheadBytes} bytes besides its own. All rows of a test stay as long as its results, although details of failures are removed after ${ENVIRONMENTS.prod.retention.evidenceDays} days.`,
    '- **Metrics.** Each metric that is filtered from logs has values all month, which is the most that it can cost.',
  ].join('\n');
}

/** What stored results cost at the steady state, with and without what DynamoDB adds. */
export function storedResults({ ways: { oursSlow } }: CountedCosts): string {
  const month = (bytes: number) => (bytes / GIGABYTE) * 1e6;
  const plain = month(oursSlow.bytes) * PRICES.storedGigabyteMonth;
  const billed = month(billedBytes(oursSlow)) * (PRICES.storedGigabyteMonth + PRICES.recoverableGigabyteMonth);
  const months = DEFAULTS.resultsDays / 30;
  return `A million slow tests of our reporter cost ${inDollars(billed)} for each month in which they are kept: with the ${ASSUMED.itemOverheadBytes} bytes per item and point-in-time recovery, and not ${inDollars(plain)}. At the steady state, ${months.toFixed(1)} months of them are kept: ${inDollars(billed * months)}.`;
}

/** What a million tests add to the requests, functions, logs and events of a month. */
export function liveTests(counted: CountedCosts): string {
  const recording = (name: WayName) => {
    const { gateway, functions, tableRequests, logs, events } = partsOfMonth(counted, findWay(counted, name), 1e6);
    return inDollars(gateway + functions + tableRequests + logs + events);
  };
  const idle = inDollars(sum(Object.values(idleParts(counted))));
  return `Recording a million tests live costs ${recording('oursQuick')} if they are quick, and ${recording('oursSlow')} if each takes ${SLOW.milliseconds / 1000} s and a run has ${SLOW.specs * SLOW.testsPerSpec} of them; with the published reporter, ${recording('publishedQuick')} and ${recording('publishedSlow')}. What is stored comes on top. Without alarms and signing key, as in dev, an idle month costs ${idle}.`;
}
