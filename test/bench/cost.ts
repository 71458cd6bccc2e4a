/** `npm run cost`: what recording costs a month on AWS, from counted requests, units and bytes. Prints Markdown. */
import { say } from '#infra/local/terminal.ts';
import { authorizerCost, type Recorded, recordBatch, recordStream } from './counting.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { step } from './progress.ts';
import { markdown, type Table } from './report.ts';
import { type Cost, type Ground, openStand, prepareGround, type Stand } from './stand.ts';

const TESTS_A_MONTH = [0, 10_000, 100_000, 1_000_000];
/** Messages about a test while it runs: with its first and its last it makes four calls. */
const UPDATES_PER_TEST = 2;
const FUNCTION_GIGABYTES = 0.5;
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

const ground = await step('Synthesizing the CDK app and starting the stores', prepareGround);
try {
  const authorizer = await withStand(ground, authorizerCost);
  // A batch call carries its key in the body: no authorizer runs.
  const batch = perTest(await step('Uploading a run', () => withStand(ground, recordBatch)));
  const streamed = await step('Streaming a run', () =>
    withStand(ground, (stand) => recordStream(stand, UPDATES_PER_TEST)),
  );
  say(tables(batch, perTest(streamed, authorizer)));
} finally {
  await ground.close();
}

async function withStand<Result>(on: Ground, use: (stand: Stand) => Promise<Result>): Promise<Result> {
  const stand = await openStand(on);
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
  const { millisecondsPerInvocation, millisecondsPerTrip } = ASSUMED;
  const seconds = (invocations * millisecondsPerInvocation + trips * millisecondsPerTrip) / 1000;
  return {
    gateway: calls * PRICES.gatewayRequest,
    lambda: invocations * PRICES.lambdaRequest + seconds * FUNCTION_GIGABYTES * PRICES.lambdaGigabyteSecond,
    table: readUnits * PRICES.readUnit + writeUnits * PRICES.writeUnit,
    storage: (bytes / GIGABYTE) * PRICES.storedGigabyteMonth,
  };
}

function tables(batch: PerTest, streamed: PerTest): string {
  return [markdown(monthTable(batch, streamed)), markdown(countTable(batch, streamed))].join('\n\n');
}

/** Every part grows with the number of tests, so a month's price is that of one test, multiplied. */
function monthTable(batch: PerTest, streamed: PerTest): Table {
  const total = (of: PerTest) => Object.values(dollars(of)).reduce((sum, part) => sum + part, 0);
  const rows = TESTS_A_MONTH.map((tests) => [
    tests === 0 ? 'idle' : tests.toLocaleString('en'),
    `$${(tests * total(streamed)).toFixed(2)}`,
    `$${(tests * total(batch)).toFixed(2)}`,
  ]);
  return [['Tests a month', 'Streamed', 'Uploaded in batches'], ...rows];
}

function countTable(batch: PerTest, streamed: PerTest): Table {
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
