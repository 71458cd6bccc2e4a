/** `npm run cost`: what a month costs on AWS, from counted requests, units, bytes and resources. Prints Markdown. */
import { say } from '#infra/cli/terminal.ts';
import { authorizerCost, BATCH_TESTS, type Recorded, recordBatch, recordStream, STREAM_TESTS } from './counting.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { concurrencyRemarks, logDollars, prodTable } from './prod-cost.ts';
import { step } from './progress.ts';
import { markdown, type Table } from './report.ts';
import { type Cost, prepareGround, type Stand, withStand } from './stand.ts';
import { type Standing, standingIn } from './standing.ts';
import { sum } from './sum.ts';
import { sweepCosts } from './sweeps.ts';
import { toldCosts } from './told.ts';
import { idleDollars, lambdaDollars, tableDollars, toldDollars } from './unasked-cost.ts';

const TESTS_A_MONTH = [0, 10_000, 100_000, 1_000_000];
/** Messages about a test while it runs: with its first and its last it makes four calls. */
const UPDATES_PER_TEST = 2;
const GIGABYTE = 1e9;

/** Per test. */
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

/** In dollars: a month in which nothing happens, and what follows from a run. */
interface Unasked {
  readonly idle: number;
  readonly run: number;
  readonly standing: Standing;
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

function dollars(of: PerTest, standing: Standing) {
  const { calls, invocations, trips, readUnits, writeUnits, bytes } = of;
  return {
    gateway: calls * PRICES.gatewayRequest,
    lambda: lambdaDollars({ invocations, trips }),
    table: tableDollars({ readUnits, writeUnits }),
    storage: (bytes / GIGABYTE) * PRICES.storedGigabyteMonth,
    logs: logDollars(of, standing),
  };
}

/** All but the idle part grows with the number of tests. */
function monthTable(streamed: PerTest, batch: PerTest, { idle, run, standing }: Unasked): Table {
  const month = (tests: number, of: PerTest) => {
    const price = sum(Object.values(dollars(of, standing))) + run / of.testsPerRun;
    return `$${(idle + tests * price).toFixed(2)}`;
  };
  const rows = TESTS_A_MONTH.map((tests) => [
    tests === 0 ? 'idle' : tests.toLocaleString('en'),
    month(tests, streamed),
    month(tests, batch),
  ]);
  return [['Tests a month', 'Streamed', 'Uploaded in batches'], ...rows];
}

function countTable(streamed: PerTest, batch: PerTest, standing: Standing): Table {
  const count = (name: keyof PerTest, digits: number) => [streamed[name].toFixed(digits), batch[name].toFixed(digits)];
  const [streamedPrice, batchPrice] = [dollars(streamed, standing), dollars(batch, standing)];
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
    ['Logs, per million, kept for a month', ...price('logs')],
  ];
}

function unaskedTable(idle: ReturnType<typeof idleDollars>, told: ReturnType<typeof toldDollars>): Table {
  const row = (what: string, parts: object, factor: number): string[] => {
    const prices = Object.entries(parts).filter(([, price]) => price > 0);
    const named = prices.map(([name, price]) => `${name} $${(price * factor).toFixed(2)}`).join(', ');
    return [what, `$${(sum(prices.map(([, price]) => price)) * factor).toFixed(2)}`, named];
  };
  return [
    ['Beside requests', 'Dollars', 'Of which'],
    row('A month in which nothing happens', idle, 1),
    row('A million runs told to one webhook', told, 1e6),
  ];
}

const remarks = (): string =>
  [
    'Idle is what polls queues and sweeps the table each minute.',
    `Each run has one webhook, and as many tests as were recorded here: ${STREAM_TESTS} streamed, ${BATCH_TESTS} uploaded.`,
    `Assumed: Lambda takes ${ASSUMED.millisecondsPerInvocation} ms per invocation and ${ASSUMED.millisecondsPerTrip} ms`,
    `per table round trip at ${ASSUMED.functionGigabytes * 1024} MB, a streamed test makes four calls,`,
    `and a receiver answers after ${ASSUMED.millisecondsPerReceiver} ms.`,
    `Lambda writes ${ASSUMED.platformLogBytes} bytes of log about each invocation.`,
    'Not counted: files in S3 and what announces them, logs of what no request brings about,',
    'metrics of functions that have something to count, traffic out, and the free tier.',
  ].join(' ');

const ground = await step('Synthesizing the CDK app and starting the stores', prepareGround);
try {
  const authorizer = await withStand(ground, authorizerCost);
  const recordStreamed = (stand: Stand) => recordStream(stand, UPDATES_PER_TEST);
  const streamed = perTest(await step('Streaming a run', () => withStand(ground, recordStreamed)), authorizer);
  // A batch call carries its key in the body: no authorizer runs.
  const batch = perTest(await step('Uploading a run', () => withStand(ground, recordBatch)));
  const told = toldDollars(await step('Telling of a run', () => withStand(ground, toldCosts, { streams: false })));
  const sweeps = await step('Sweeping what is empty', () => withStand(ground, sweepCosts));
  const [dev, prod] = await step(
    'Counting what stands there',
    async () => [await standingIn('dev'), await standingIn('prod')] as const,
  );
  const idle = idleDollars(dev, sweeps);
  const unasked = { idle: sum(Object.values(idle)), run: sum(Object.values(told)), standing: dev };
  const tables = [unaskedTable(idle, told), prodTable(prod), countTable(streamed, batch, dev)].map(markdown);
  const texts = [remarks(), concurrencyRemarks(streamed, prod)];
  say([markdown(monthTable(streamed, batch, unasked)), ...texts, ...tables].join('\n\n'));
} finally {
  await ground.close();
}
