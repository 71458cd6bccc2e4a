/** `npm run cost`: what a month costs on AWS, from counted requests, units, bytes and resources. Prints Markdown. */
import { say } from '#infra/local/terminal.ts';
import { authorizerCost, type Recorded, recordBatch, recordStream } from './counting.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { step } from './progress.ts';
import { markdown, type Table } from './report.ts';
import { type Cost, type Ground, openStand, prepareGround, type Stand } from './stand.ts';
import { type Standing, standingIn } from './standing.ts';

const TESTS_A_MONTH = [0, 10_000, 100_000, 1_000_000];
/** Messages about a test while it runs: with its first and its last it makes four calls. */
const UPDATES_PER_TEST = 2;
const GIGABYTE = 1e9;

/** Per test. */
interface PerTest {
  readonly calls: number;
  readonly invocations: number;
  readonly trips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly bytes: number;
}

async function withStand<Result>(ground: Ground, use: (stand: Stand) => Promise<Result>): Promise<Result> {
  const stand = await openStand(ground);
  try {
    return await use(stand);
  } finally {
    await stand.close();
  }
}

function perTest({ cost, tests, stored }: Recorded, authorizer?: Pick<Cost, 'readUnits' | 'trips'>): PerTest {
  const calls = cost.requests / tests;
  return {
    calls,
    invocations: authorizer ? 2 * calls : calls,
    trips: cost.trips / tests + calls * (authorizer?.trips ?? 0),
    readUnits: cost.readUnits / tests + calls * (authorizer?.readUnits ?? 0),
    writeUnits: cost.writeUnits / tests,
    bytes: stored.bytes / tests,
  };
}

function dollars({ calls, invocations, trips, readUnits, writeUnits, bytes }: PerTest) {
  const { millisecondsPerInvocation, millisecondsPerTrip, functionGigabytes } = ASSUMED;
  const seconds = (invocations * millisecondsPerInvocation + trips * millisecondsPerTrip) / 1000;
  return {
    gateway: calls * PRICES.gatewayRequest,
    lambda: invocations * PRICES.lambdaRequest + seconds * functionGigabytes * PRICES.lambdaGigabyteSecond,
    table: readUnits * PRICES.readUnit + writeUnits * PRICES.writeUnit,
    storage: (bytes / GIGABYTE) * PRICES.storedGigabyteMonth,
  };
}

const idle = ({ queuesPolled, alarms }: Standing): number =>
  queuesPolled * ASSUMED.queuePollsPerMonth * PRICES.queueRequest + alarms * PRICES.alarmMonth;

/** All but the idle part grows with the number of tests. */
function monthTable(streamed: PerTest, batch: PerTest, dev: Standing): Table {
  const month = (tests: number, of: PerTest) => {
    const price = Object.values(dollars(of)).reduce((sum, part) => sum + part, 0);
    return `$${(idle(dev) + tests * price).toFixed(2)}`;
  };
  const rows = TESTS_A_MONTH.map((tests) => [
    tests === 0 ? 'idle' : tests.toLocaleString('en'),
    month(tests, streamed),
    month(tests, batch),
  ]);
  return [['Tests a month', 'Streamed', 'Uploaded in batches'], ...rows];
}

function countTable(streamed: PerTest, batch: PerTest): Table {
  const count = (name: keyof PerTest, digits: number) => [streamed[name].toFixed(digits), batch[name].toFixed(digits)];
  const [streamedPrice, batchPrice] = [dollars(streamed), dollars(batch)];
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
  ];
}

const remarks = (prod: Standing): string =>
  [
    `Idle is the polling of queues; \`prod\` adds ${prod.alarms} alarms, $${(prod.alarms * PRICES.alarmMonth).toFixed(2)} a month.`,
    `Assumed: Lambda takes ${ASSUMED.millisecondsPerInvocation} ms per invocation and ${ASSUMED.millisecondsPerTrip} ms`,
    `per table round trip at ${ASSUMED.functionGigabytes * 1024} MB, and a streamed test makes four calls.`,
    'Not counted: files in S3 and what announces them, logs, the metrics per route of `prod`, traffic out, and the free tier.',
  ].join(' ');

const ground = await step('Synthesizing the CDK app and starting the stores', prepareGround);
try {
  const authorizer = await withStand(ground, authorizerCost);
  const recordStreamed = (stand: Stand) => recordStream(stand, UPDATES_PER_TEST);
  const streamed = perTest(await step('Streaming a run', () => withStand(ground, recordStreamed)), authorizer);
  // A batch call carries its key in the body: no authorizer runs.
  const batch = perTest(await step('Uploading a run', () => withStand(ground, recordBatch)));
  const [dev, prod] = await step(
    'Counting what stands there',
    async () => [await standingIn('dev'), await standingIn('prod')] as const,
  );
  const parts = [markdown(monthTable(streamed, batch, dev)), remarks(prod), markdown(countTable(streamed, batch))];
  say(parts.join('\n\n'));
} finally {
  await ground.close();
}
