/**
 * `npm run cost` estimates monthly AWS costs from counted requests, capacity units, bytes and resources, and prints
 * them as Markdown.
 */
import { printLine } from '#infra/cli/terminal.ts';
import { idleDollars, lambdaDollars, runEventDollars, tableDollars } from './background-cost.ts';
import { type BenchService, type Cost, prepareSetup, withService } from './bench-service.ts';
import { authorizerCost, BATCH_TESTS, recordBatch } from './counting.ts';
import { type DeployedResources, deployedResources } from './deployed-resources.ts';
import { QUICK, type ReporterName, SLOW, type SuiteSize } from './generated-suite.ts';
import { type RecordedSuite, recordSuite } from './live-recording.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { concurrencyRemarks, logDollars, prodTable } from './prod-cost.ts';
import { step } from './progress.ts';
import { markdown, type Table } from './report.ts';
import { runEventCosts } from './run-events.ts';
import { sum } from './sum.ts';
import { sweepCosts } from './sweeps.ts';

const TESTS_A_MONTH = [0, 10_000, 100_000, 1_000_000];
/** The assumed number of tests in a run of a reporter. They share the cost of the run's events, which is constant. */
const TESTS_OF_RUN = 1000;
const GIGABYTE = 1e9;

/** Averages per test. */
interface PerTest {
  readonly testsPerRun: number;
  readonly calls: number;
  readonly invocations: number;
  readonly trips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly bytes: number;
  readonly logBytes: number;
}

/** The cost of an idle month, and of the events of one run, in dollars. */
interface BackgroundCost {
  readonly idle: number;
  readonly run: number;
  readonly resources: DeployedResources;
}

/** The ways to record tests, by column heading. */
type Ways = Readonly<Record<string, PerTest>>;

function perTest(
  { cost, tests, stored }: Omit<RecordedSuite, 'bodyBytes'>,
  { testsPerRun, authorizer }: { testsPerRun: number; authorizer?: Pick<Cost, 'readUnits' | 'trips'> },
): PerTest {
  const calls = cost.requests / tests;
  return {
    testsPerRun,
    calls,
    invocations: authorizer ? 2 * calls : calls,
    trips: cost.trips / tests + calls * (authorizer?.trips ?? 0),
    readUnits: cost.readUnits / tests + calls * (authorizer?.readUnits ?? 0),
    writeUnits: cost.writeUnits / tests,
    bytes: stored.bytes / tests,
    logBytes: cost.logBytes / tests,
  };
}

function dollars(of: PerTest, resources: DeployedResources) {
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

/** Shows monthly costs by number of tests. All costs except those of an idle month grow with the number of tests. */
function monthTable(ways: Ways, { idle, run, resources }: BackgroundCost): Table {
  const month = (tests: number, of: PerTest) => {
    const price = sum(Object.values(dollars(of, resources))) + run / of.testsPerRun;
    return `$${(idle + tests * price).toFixed(2)}`;
  };
  const rows = TESTS_A_MONTH.map((tests) => [
    tests === 0 ? 'idle' : tests.toLocaleString('en'),
    ...Object.values(ways).map((way) => month(tests, way)),
  ]);
  return [['Tests a month', ...Object.keys(ways)], ...rows];
}

function countTable(ways: Ways, resources: DeployedResources): Table {
  const all = Object.values(ways);
  const count = (name: keyof PerTest, digits: number) => all.map((way) => way[name].toFixed(digits));
  const prices = all.map((way) => dollars(way, resources));
  const price = (name: keyof ReturnType<typeof dollars>) => prices.map((of) => `$${(of[name] * 1e6).toFixed(2)}`);
  return [
    ['Per test, or per million tests', ...Object.keys(ways)],
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

function backgroundTable(idle: ReturnType<typeof idleDollars>, runEvents: ReturnType<typeof runEventDollars>): Table {
  const row = (what: string, parts: object, factor: number): string[] => {
    const prices = Object.entries(parts).filter(([, price]) => price > 0);
    const named = prices.map(([name, price]) => `${name} $${(price * factor).toFixed(2)}`).join(', ');
    return [what, `$${(sum(prices.map(([, price]) => price)) * factor).toFixed(2)}`, named];
  };
  return [
    ['Cost beyond requests', 'Dollars', 'Parts'],
    row('An idle month', idle, 1),
    row('Events of a million runs, sent to one webhook', runEvents, 1e6),
  ];
}

const remarks = (): string =>
  [
    'Idle costs come from polling queues and sweeping the table every minute or every five minutes.',
    `Each run has one webhook and ${TESTS_OF_RUN.toLocaleString('en')} tests of a reporter or ${BATCH_TESTS.toLocaleString('en')} uploaded tests.`,
    `The reporters record real runs of Playwright: quick tests take ${QUICK.milliseconds} ms, slow ones ${SLOW.milliseconds / 1000} s.`,
    `Assumed: Lambda takes ${ASSUMED.millisecondsPerInvocation} ms per invocation and ${ASSUMED.millisecondsPerTrip} ms`,
    `per table round trip at ${ASSUMED.functionGigabytes * 1024} MB,`,
    `each authorizer reads as for a key that it sees for the first time, and a receiver answers after ${ASSUMED.millisecondsPerReceiver} ms.`,
    `Lambda writes ${ASSUMED.platformLogBytes} bytes of log about each invocation.`,
    'Not counted: files in S3 and their announcements, logs of background functions,',
    'custom metrics of functions, outgoing traffic, and the free tier.',
  ].join(' ');

const setup = await step('Synthesizing the CDK app and starting the stores', prepareSetup);
try {
  const authorizer = await withService(setup, authorizerCost);
  const record = async (reporter: ReporterName, size: SuiteSize) => {
    const title = `Recording tests of ${size.milliseconds} ms, reporter: ${reporter}`;
    const use = (service: BenchService) => recordSuite(service, { reporter, size });
    const recorded = await step(title, () => withService(setup, use, { streams: false }));
    return perTest(recorded, { testsPerRun: TESTS_OF_RUN, authorizer });
  };
  const published = await record('published', QUICK);
  const ways: Ways = {
    'Our reporter, quick tests': await record('ours', QUICK),
    'Our reporter, slow tests': await record('ours', SLOW),
    // A batch request has its key in the body, so no authorizer runs.
    'Uploaded in batches': perTest(await step('Uploading a run', () => withService(setup, recordBatch)), {
      testsPerRun: BATCH_TESTS,
    }),
    'Published reporter, quick tests': published,
    'Published reporter, slow tests': await record('published', SLOW),
  };
  const runEvents = runEventDollars(
    await step('Publishing the events of a run', () => withService(setup, runEventCosts, { streams: false })),
  );
  const sweeps = await step('Running idle schedules', () => withService(setup, sweepCosts));
  const [dev, prod] = await step(
    'Counting deployed resources',
    async () => [await deployedResources('dev'), await deployedResources('prod')] as const,
  );
  const idle = idleDollars(dev, sweeps);
  const background = { idle: sum(Object.values(idle)), run: sum(Object.values(runEvents)), resources: dev };
  const tables = [backgroundTable(idle, runEvents), prodTable(prod), countTable(ways, dev)].map(markdown);
  const texts = [remarks(), concurrencyRemarks(published, prod)];
  printLine([markdown(monthTable(ways, background)), ...texts, ...tables].join('\n\n'));
} finally {
  await setup.close();
}
