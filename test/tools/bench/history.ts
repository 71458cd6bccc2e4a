/** Writes executions directly to the table, because recording a million of them would take hours. */

import { computeDigest } from '#shared/engine/table/keys.ts';
import { type Put, put } from '#shared/engine/table/writes.ts';
import { extendTerms } from '#shared/ingest/extend-terms.ts';
import { deriveInstanceId, deriveRecordId, deriveRunId, deriveSignature, deriveTestKey } from '#shared/model/ids.ts';
import { type Attempt, findDisplayedError, sumDurations } from '#shared/model/results/attempt.ts';
import type { Execution } from '#shared/model/results/execution.ts';
import { type HistoryRow, history } from '#shared/model/results/history-row.ts';
import { isNotable } from '#shared/model/results/outcomes.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { knownTerms } from '#shared/model/runs/known-terms.ts';
import { query } from '#test/harness/client.ts';
import type { BenchService } from './bench-service.ts';
import { attemptsOf, GROUP, outcomeOf, type SuiteTest, stateOf } from './suite.ts';

const SPEC = 'checkout/orders.spec.ts';
const DAY_MILLISECONDS = 86_400_000;
/** The time of the oldest execution. Terms tell only of the last year where executions are. */
const FROM = Math.floor(Date.now() / DAY_MILLISECONDS - 100) * DAY_MILLISECONDS;
const EXECUTIONS_PER_DAY = 100;
const ROWS_AT_ONCE = 4000;

/** The branch of every hundredth execution. */
export const RARE_BRANCH = 'release';
const RARE_ONE_IN = 100;
/** The branch of some executions of three days. */
export const SHORT_BRANCH = 'fix/rounding';
const SHORT = { from: 4000, to: 4000 + 3 * EXECUTIONS_PER_DAY, oneIn: 30 };

export interface HistoryTest {
  readonly title: readonly string[];
  readonly signature: string;
}

export function testOf({ organizationId, projectId }: BenchService, name: string): HistoryTest {
  const title = ['checkout', 'several addresses', name];
  return { title, signature: deriveSignature({ organizationId, projectId, spec: SPEC, title }) };
}

/** A date range that includes all executions. */
const ALL_TIME = [
  ['date_start', new Date(FROM).toISOString()],
  ['date_end', new Date(FROM + 100 * 365 * DAY_MILLISECONDS).toISOString()],
] as const;

/** The request path for a page of the history, over all executions of the test. */
export const historyPath = ({ signature }: HistoryTest, ...filter: readonly (readonly [string, string])[]): string =>
  `/test-results/${signature}${query(...ALL_TIME, ...filter)}`;

interface Writing {
  /** With `mixed`, 4 % of the executions failed and 2 % were flaky. These have additional rows. */
  readonly outcomes: 'mixed' | 'passed';
  /** Called after each batch of a few thousand rows, with the number of rows in the batch. */
  readonly onRows?: (rows: number) => void;
}

export async function writeHistory(
  service: BenchService,
  tests: readonly HistoryTest[],
  executions: number,
  { outcomes, onRows = () => {} }: Writing,
): Promise<void> {
  let waiting: Put[] = [];
  for (let number = 0; number < executions; number += 1) {
    const outcome = outcomes === 'mixed' ? outcomeOf(number) : 'passed';
    for (const test of tests) waiting.push(...rowsOf(service, test, { number, outcome }));
    if (waiting.length < ROWS_AT_ONCE && number < executions - 1) continue;
    await service.services.table.writeMany(waiting);
    onRows(waiting.length);
    waiting = [];
  }
}

/** What recording the executions, of which the first ones are the oldest, would have stored about branches and authors. */
export async function writeTerms({ services, organizationId, projectId }: BenchService, executions: number) {
  const project = { organizationId, projectId };
  await services.table.writeMany([put(knownTerms, { ...project, branchesSince: FROM, authorsSince: FROM })]);
  const uses = Array.from({ length: executions }, (_, number) => ({
    ...project,
    branch: branchOf(number),
    authorName: AUTHOR.authorName,
    authorEmail: AUTHOR.authorEmail,
    recordedAt: timeOf(number),
  }));
  await extendTerms(services, uses);
}

const timeOf = (number: number): number => FROM + Math.round((number * DAY_MILLISECONDS) / EXECUTIONS_PER_DAY);

const AUTHOR = { authorName: 'Alex Doe', authorEmail: 'alex.doe@example.com' };

type Executed = Pick<SuiteTest, 'number' | 'outcome'>;

function rowsOf(service: BenchService, { title, signature }: HistoryTest, { number, outcome }: Executed): Put[] {
  const { organizationId } = service;
  const test = { number, outcome, testId: `6b168d07400689ad61f3-${signature.slice(0, 20)}`, title };
  const execution = executionOf(service, test);
  const instanceId = deriveInstanceId({
    runId: deriveRunId({ ...service, ciBuildId: build(number) }),
    groupId: GROUP,
    spec: SPEC,
  });
  const attempts = attemptsOf(test).map(attemptOf);
  const recordedAt = timeOf(number);
  const reported = { outcome: stateOf(test), flaky: test.outcome === 'flaky' } as const;
  const row: HistoryRow = {
    ...execution,
    ...reported,
    organizationId,
    signature,
    list: 'all',
    recordedAt,
    recordId: deriveRecordId({ instanceId, testId: test.testId }),
    expectedStatus: 'passed',
    duration: sumDurations(attempts),
    annotations: [],
    attempts: attempts.map(({ state, startedAt, duration }) => [state, startedAt, duration] as const),
    hasErrors: findDisplayedError(attempts) !== undefined,
    expiresAt: undefined,
  };
  const record = { ...execution, organizationId, instanceId, testKey: deriveTestKey(test.testId), reported, attempts };
  return [
    put(history, row),
    ...(isNotable(row) ? [put(history, { ...row, list: 'notable' as const })] : []),
    ...(row.hasErrors ? [put(testRecords, { ...record, ...FINISHED, finalAt: recordedAt })] : []),
  ];
}

const FINISHED = {
  sequence: 1,
  done: true,
  finals: 1,
  expectedStatus: 'passed',
  annotations: [],
  testTags: ['smoke'],
  expiry: NEVER,
} as const;

const build = (number: number): string => `build ${number}`;

const executionOf = ({ projectId }: BenchService, { number, testId, title }: SuiteTest): Execution => ({
  projectId,
  groupId: GROUP,
  spec: SPEC,
  machineId: 'ci-machine-1',
  testId,
  title,
  tags: ['nightly', 'consumer', 'smoke'],
  environment: null,
  framework: 'pw',
  branch: branchOf(number),
  sha: computeDigest(40, build(number)),
  ...AUTHOR,
  message: 'Keep the discount when an order is split',
});

function branchOf(number: number): string {
  if (number % RARE_ONE_IN === RARE_ONE_IN / 2) return RARE_BRANCH;
  return SHORT.from <= number && number < SHORT.to && number % SHORT.oneIn === 1 ? SHORT_BRANCH : 'main';
}

const attemptOf = ({ _s, status, startTime, errors, ...rest }: ReturnType<typeof attemptsOf>[number]): Attempt => ({
  ...rest,
  state: _s,
  rawStatus: status,
  startedAt: Date.parse(startTime),
  errors: errors.map((error) => ({ ...error, snippet: null })),
});
