/**
 * What a month costs in prod when it has run for so long that as much expires as is recorded. It includes the files of
 * failed tests, the people who read the results, and what the deployment costs without any test.
 */
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { idleDollars, lambdaDollars, runEventDollars, tableDollars } from './background-cost.ts';
import type { CountedCosts, DeployedResources, PerTest } from './counted-costs.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { sum } from './sum.ts';

/** API Gateway has the metrics Count, 4XXError, 5XXError, Latency and IntegrationLatency for each route. */
export const METRICS_PER_ROUTE = 5;

const GIGABYTE = 1e9;
const MEGABYTE = 1e6;
const DAYS_A_MONTH = 30;

/** The cost of the logs of one test, kept for so many days. */
export function logDollars(
  { calls, invocations, logBytes }: PerTest,
  { accessLogBytes }: DeployedResources,
  days: number,
): number {
  const { platformLogBytes, logEnvelopeBytes } = ASSUMED;
  const bytes = calls * (accessLogBytes + logEnvelopeBytes) + logBytes + invocations * platformLogBytes;
  return (bytes / GIGABYTE) * (PRICES.logGigabyte + PRICES.keptLogGigabyteMonth * (days / DAYS_A_MONTH));
}

/** What an operator can choose to make prod cheaper. */
export interface Choices {
  readonly resultsDays: number;
  readonly filesDays: number;
  readonly tableClass: 'standard' | 'infrequent';
  readonly fileClass: 'standard' | 'infrequent' | 'tiered';
}

const { prod: PROD } = ENVIRONMENTS;

/** What is kept forever never reaches a steady state. */
function requireDays(days: number | null): number {
  if (days === null) throw new Error('The costs of a steady state need a default retention of prod in days');
  return days;
}

export const DEFAULTS: Choices = {
  resultsDays: requireDays(PROD.retention.resultsDays),
  filesDays: requireDays(PROD.retention.filesDays),
  tableClass: 'standard',
  fileClass: 'standard',
};

/** The bytes of an item as DynamoDB bills their storage. */
export const billedBytes = ({ bytes, items }: Pick<PerTest, 'bytes' | 'items'>): number =>
  bytes + items * ASSUMED.itemOverheadBytes;

/** Files per test, their bytes, and those of the smallest ones, which stay in S3 Standard. */
export function countFiles() {
  const { failingShare, executions, megabytes } = ASSUMED.files;
  const sizes = Object.values(megabytes);
  const failures = failingShare * executions;
  const bytesOf = (all: readonly number[]) => failures * sum(all) * MEGABYTE;
  const moved = sizes.filter((size) => size >= SMALLEST_MOVED_MEGABYTES);
  return {
    files: failures * sizes.length,
    bytes: bytesOf(sizes),
    traces: failures,
    movedFiles: failures * moved.length,
    movedBytes: bytesOf(moved),
  };
}

const SMALLEST_MOVED_MEGABYTES = 0.128;
/** The days after which both cheaper classes of S3 take an object that nobody reads. */
const MOVED_AFTER_DAYS = 30;
const ARCHIVED_AFTER_DAYS = 90;

/** Per test. A deleted file is kept as a noncurrent version, and its upload for a day. */
function fileStorageDollars({ filesDays, fileClass }: Choices): number {
  const { bytes, movedBytes, movedFiles } = countFiles();
  const days = filesDays + (PROD.deletedFilesDays ?? 0);
  const months = (count: number) => Math.max(0, count) / DAYS_A_MONTH;
  const standard = (amount: number, count: number) => (amount / GIGABYTE) * months(count) * PRICES.fileGigabyteMonth;
  const upload = standard(bytes, 1);
  if (fileClass === 'standard') return upload + standard(bytes, days);
  const rest = upload + standard(bytes - movedBytes, days) + standard(movedBytes, Math.min(days, MOVED_AFTER_DAYS));
  const movedGigabytes = movedBytes / GIGABYTE;
  if (fileClass === 'infrequent') {
    const { gigabyteMonth, move } = PRICES.infrequentFiles;
    return rest + movedGigabytes * months(days - MOVED_AFTER_DAYS) * gigabyteMonth + movedFiles * move;
  }
  const { objectMonth, gigabyteMonth, archivedGigabyteMonth } = PRICES.tieredFiles;
  const infrequentDays = Math.min(days, ARCHIVED_AFTER_DAYS) - MOVED_AFTER_DAYS;
  return (
    rest +
    movedGigabytes * months(infrequentDays) * gigabyteMonth +
    movedGigabytes * months(days - ARCHIVED_AFTER_DAYS) * archivedGigabyteMonth +
    movedFiles * months(days) * objectMonth
  );
}

const QUEUE_REQUESTS_PER_FILE = 3;
const LISTED_PER_REQUEST = 1000;

/**
 * Per test, without the storage. Our reporter announces the files of a batch in one request. The published one sends a
 * request for each file.
 */
function fileHandlingDollars({ file, prod }: CountedCosts, { announcesEach }: Way, { filesDays }: Choices): number {
  const { files, traces } = countFiles();
  const { announced, confirmed } = file;
  const requests = announcesEach ? 1 : 0;
  const announcing =
    requests * PRICES.gatewayRequest +
    lambdaDollars({ invocations: 2 * requests, trips: announced.trips }) +
    requests * logDollars({ ...NO_TEST, calls: 1, invocations: 2 }, prod, PROD.logRetentionDays) +
    tableDollars(announced);
  const waiting = ASSUMED.millisecondsPerConfirmation + (traces / files) * ASSUMED.millisecondsPerTrace;
  const confirming =
    QUEUE_REQUESTS_PER_FILE * PRICES.queueRequest +
    lambdaDollars({ invocations: 1, trips: confirmed.trips, waitedMilliseconds: waiting }) +
    tableDollars(confirmed);
  // It is uploaded, looked at, copied, and read if it is a trace. Each night, a listing finds it.
  const moving = 2 * PRICES.fileWrite + (1 + traces / files) * PRICES.fileRead;
  const listing = (filesDays / LISTED_PER_REQUEST) * PRICES.fileWrite;
  return files * (announcing + confirming + moving + listing);
}

const NO_TEST: PerTest = {
  testsPerRun: 1,
  calls: 0,
  invocations: 0,
  trips: 0,
  readUnits: 0,
  writeUnits: 0,
  bytes: 0,
  items: 0,
  logBytes: 0,
};

/** Per test: pages, polls, and the bytes that leave AWS. */
function readerDollars({ page, poll }: CountedCosts) {
  const { perMillionTests, pagesADay, watchedMinutesADay, secondsPerPoll, changedShare, pageKilobytes } =
    ASSUMED.readers;
  const readers = perMillionTests / 1e6;
  const polls = readers * ((watchedMinutesADay * 60) / secondsPerPoll) * DAYS_A_MONTH;
  const pages = readers * pagesADay * DAYS_A_MONTH + changedShare * polls;
  const request = ({ trips, ...units }: CountedCosts['page'], waitedMilliseconds: number) =>
    PRICES.gatewayRequest + lambdaDollars({ invocations: 1, trips, waitedMilliseconds }) + tableDollars(units);
  const { bytes } = countFiles();
  const gigabytes = (bytes * ASSUMED.downloadedShare + pages * pageKilobytes * 1000) / GIGABYTE;
  return {
    readers: pages * request(page, ASSUMED.millisecondsPerPage) + polls * request(poll, 0),
    traffic: gigabytes * PRICES.trafficGigabyte,
  };
}

/** A way to record tests. */
export interface Way {
  readonly perTest: PerTest;
  /** Whether each file is announced by a request of its own. */
  readonly announcesEach: boolean;
}

export const findWay = ({ ways }: CountedCosts, name: keyof CountedCosts['ways']): Way => ({
  perTest: ways[name],
  announcesEach: name === 'publishedQuick' || name === 'publishedSlow',
});

/** What a deployment of prod costs without any test. */
export function fixedParts({ prod, sweeps }: CountedCosts) {
  const { queues, schedules, alarms } = idleDollars(prod, sweeps);
  return {
    queues,
    schedules,
    alarms,
    'custom metrics': prod.logMetrics * PRICES.customMetricMonth,
    'signing key': PRICES.signingKeyMonth,
  };
}

export const PARTS = {
  gateway: 'gateway',
  functions: 'functions',
  tableRequests: 'reads and writes of the table',
  results: 'stored results, with recovery',
  files: 'stored files, with deleted versions',
  handling: 'announcing and confirming files',
  logs: 'logs',
  events: 'events of runs, for one webhook',
  readers: 'pages and polls',
  traffic: 'outgoing traffic',
  fixed: 'alarms, metrics, polling, schedules',
} as const;
export type Part = keyof typeof PARTS;

/** The parts of a month with so many tests, each month as many. */
export function partsOfMonth(
  counted: CountedCosts,
  way: Way,
  tests: number,
  choices: Choices = DEFAULTS,
): Record<Part, number> {
  const { perTest } = way;
  const { calls, invocations, trips } = perTest;
  const isInfrequent = choices.tableClass === 'infrequent';
  const requestFactor = isInfrequent ? PRICES.infrequentTable.requestFactor : 1;
  const storedGigabyte = isInfrequent ? PRICES.infrequentTable.storedGigabyteMonth : PRICES.storedGigabyteMonth;
  const keptGigabytes = (billedBytes(perTest) / GIGABYTE) * (choices.resultsDays / DAYS_A_MONTH);
  const { readers, traffic } = readerDollars(counted);
  const { table: eventUnits, ...events } = runEventDollars(counted.runEvent);
  const month = (dollarsPerTest: number) => tests * dollarsPerTest;
  return {
    gateway: month(calls * PRICES.gatewayRequest),
    functions: month(lambdaDollars({ invocations, trips })),
    tableRequests: month(requestFactor * (tableDollars(perTest) + counted.countingUnits * calls * PRICES.writeUnit)),
    results: month(keptGigabytes * (storedGigabyte + PRICES.recoverableGigabyteMonth)),
    files: month(fileStorageDollars(choices)),
    handling: month(fileHandlingDollars(counted, way, choices)),
    logs: month(logDollars(perTest, counted.prod, PROD.logRetentionDays)),
    events: month((sum(Object.values(events)) + requestFactor * eventUnits) / perTest.testsPerRun),
    readers: month(readers),
    traffic: month(traffic),
    fixed: sum(Object.values(fixedParts(counted))),
  };
}

export const monthDollars = (...of: Parameters<typeof partsOfMonth>): number => sum(Object.values(partsOfMonth(...of)));

/** Little's law: concurrency is the request rate times the duration. */
function perSecond({ calls, invocations, trips }: PerTest, concurrency: number): number {
  const { millisecondsPerInvocation, millisecondsPerTrip } = ASSUMED;
  const busy = (invocations * millisecondsPerInvocation + trips * millisecondsPerTrip) / calls;
  return Math.floor((concurrency * 1000) / busy);
}

export function concurrencyRemarks({ ways, prod }: CountedCosts): string {
  const { newAccount, usual } = ASSUMED.concurrency;
  const answered = (concurrency: number) => perSecond(ways.publishedQuick, concurrency).toLocaleString('en');
  return [
    `A new account runs ${newAccount} functions at once, which answer about ${answered(newAccount)} requests of published reporters a second while warm. Others run ${usual.toLocaleString('en')}, which answer ${answered(usual)}.`,
    `Queue consumers may use ${prod.consumersAtOnce} of them: \`-c consumerConcurrency=2\` leaves more for requests in a new account.`,
  ].join('\n');
}
