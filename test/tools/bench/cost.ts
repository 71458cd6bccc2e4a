/**
 * `npm run cost` estimates monthly AWS costs from counted requests, capacity units, bytes and resources, and prints
 * them as Markdown.
 */
import { printLine } from '#infra/cli/terminal.ts';
import { idleDollars, lambdaDollars, runEventDollars, tableDollars } from './background-cost.ts';
import { type BenchService, type Cost, prepareSetup, withService } from './bench-service.ts';
import { authorizerCost, BATCH_TESTS, type Recorded, recordBatch, recordStream, STREAM_TESTS } from './counting.ts';
import { type DeployedResources, deployedResources } from './deployed-resources.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { concurrencyRemarks, logDollars, prodTable } from './prod-cost.ts';
import { step } from './progress.ts';
import { markdown, type Table } from './report.ts';
import { runEventCosts } from './run-events.ts';
import { sum } from './sum.ts';
import { sweepCosts } from './sweeps.ts';

const TESTS_A_MONTH = [0, 10_000, 100_000, 1_000_000];
/** The number of updates of a running test. With the first and the last message, each test takes four requests. */
const UPDATES_PER_TEST = 2;
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

function perTest({ cost, tests, stored }: Recorded, authorizer?: Pick<Cost, 'readUnits' | 'trips'>): PerTest {
  const calls = cost.requests / tests;
  return {
    testsPerRun: tests,
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
function monthTable(streamed: PerTest, batch: PerTest, { idle, run, resources }: BackgroundCost): Table {
  const month = (tests: number, of: PerTest) => {
    const price = sum(Object.values(dollars(of, resources))) + run / of.testsPerRun;
    return `$${(idle + tests * price).toFixed(2)}`;
  };
  const rows = TESTS_A_MONTH.map((tests) => [
    tests === 0 ? 'idle' : tests.toLocaleString('en'),
    month(tests, streamed),
    month(tests, batch),
  ]);
  return [['Tests a month', 'Streamed', 'Uploaded in batches'], ...rows];
}

function countTable(streamed: PerTest, batch: PerTest, resources: DeployedResources): Table {
  const count = (name: keyof PerTest, digits: number) => [streamed[name].toFixed(digits), batch[name].toFixed(digits)];
  const streamedPrice = dollars(streamed, resources);
  const batchPrice = dollars(batch, resources);
  const price = (name: keyof typeof batchPrice) =>
    [streamedPrice, batchPrice].map((prices) => `$${(prices[name] * 1e6).toFixed(2)}`);
  return [
    ['Per test, or per million tests', 'Streamed', 'Uploaded in batches'],
    ['Requests at the gateway', ...count('calls', 4)],
    ['Lambda invocations', ...count('invocations', 4)],
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
    'Idle costs come from polling queues and sweeping the table each minute.',
    `Each run has one webhook and ${STREAM_TESTS} streamed or ${BATCH_TESTS} uploaded tests.`,
    `Assumed: Lambda takes ${ASSUMED.millisecondsPerInvocation} ms per invocation and ${ASSUMED.millisecondsPerTrip} ms`,
    `per table round trip at ${ASSUMED.functionGigabytes * 1024} MB, a streamed test makes four calls,`,
    `and a receiver answers after ${ASSUMED.millisecondsPerReceiver} ms.`,
    `Lambda writes ${ASSUMED.platformLogBytes} bytes of log about each invocation.`,
    'Not counted: files in S3 and their announcements, logs of background functions,',
    'custom metrics of functions, outgoing traffic, and the free tier.',
  ].join(' ');

const setup = await step('Synthesizing the CDK app and starting the stores', prepareSetup);
try {
  const authorizer = await withService(setup, authorizerCost);
  const recordStreamed = (service: BenchService) => recordStream(service, UPDATES_PER_TEST);
  const streamed = perTest(await step('Streaming a run', () => withService(setup, recordStreamed)), authorizer);
  // A batch request has its key in the body, so no authorizer runs.
  const batch = perTest(await step('Uploading a run', () => withService(setup, recordBatch)));
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
  const tables = [backgroundTable(idle, runEvents), prodTable(prod), countTable(streamed, batch, dev)].map(markdown);
  const texts = [remarks(), concurrencyRemarks(streamed, prod)];
  printLine([markdown(monthTable(streamed, batch, background)), ...texts, ...tables].join('\n\n'));
} finally {
  await setup.close();
}
