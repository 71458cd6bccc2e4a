/** Rates of the service and of its rival, round by round in turn, so that a busy machine slows down both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { recordIdOf } from '#shared/model/ids.ts';
import { query } from '#test/harness/client.ts';
import type { Ratio } from './budgets.ts';
import { EVER, testOf, writeHistory } from './history.ts';
import { type Sent, secondsFor } from './load.ts';
import { median } from './medians.ts';
import { claim, startRun } from './recording.ts';
import { Served } from './serve.ts';
import { type Ground, openStand, type Stand } from './stand.ts';
import { instanceBody, messagesOf, runBody, type SuiteSpec, suiteOf } from './suite.ts';

const CONNECTIONS = 8;
const WARM_UP_ROUNDS = 1;
const ROUNDS = 5;
const TESTS_PER_SPEC = 25;
const STREAMED_SPECS = 4;
const UPLOADED_SPECS = 8;
const PAGES = 200;
const PAGE_EXECUTIONS = 500;
/** The rival answers so fast that as few requests would take no measurable time. */
const RIVAL_PAGES = 2000;

interface Rival {
  readonly own: string;
  readonly rival: string;
  readonly stand: Stand;
}

/** Requests of one round, in steps: a step begins when the one before has ended. */
interface Round {
  readonly own: readonly (readonly Sent[])[];
  readonly rival: readonly (readonly Sent[])[];
  /** How many of what is counted one round has. */
  readonly ownCount: number;
  readonly rivalCount: number;
}

export async function measureRatios(ground: Ground): Promise<Ratio[]> {
  const stand = await openStand(ground);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  try {
    child.stdin.end(JSON.stringify({ ...ground, tableName: stand.tableName }));
    const [line] = z.tuple([z.string()]).parse(await once(createInterface(child.stdout), 'line'));
    const served = { ...Served.parse(JSON.parse(line)), stand };
    return [
      await compare(served, 'Streamed tests recorded', 'tests/s', await streamedTests(stand)),
      await compare(served, 'Uploaded tests recorded', 'tests/s', await uploadedTests(stand)),
      await compare(served, 'History pages of 10 read', 'pages/s', await historyPages(served)),
    ];
  } finally {
    child.kill();
    await stand.close();
  }
}

type RoundOf = (round: number) => Promise<Round> | Round;

async function compare({ own, rival }: Rival, what: string, unit: string, roundOf: RoundOf): Promise<Ratio> {
  const rates: { own: number; rival: number }[] = [];
  for (let number = 0; number < WARM_UP_ROUNDS + ROUNDS; number += 1) {
    const round = await roundOf(number);
    const ownSeconds = await inSteps(own, round.own);
    const rivalSeconds = await inSteps(rival, round.rival);
    rates.push({ own: round.ownCount / ownSeconds, rival: round.rivalCount / rivalSeconds });
  }
  const timed = rates.slice(WARM_UP_ROUNDS);
  return {
    what,
    unit,
    ratio: median(timed.map((rate) => rate.own / rate.rival)),
    perSecond: median(timed.map((rate) => rate.own)),
    barePerSecond: median(timed.map((rate) => rate.rival)),
  };
}

async function inSteps(origin: string, steps: readonly (readonly Sent[])[]): Promise<number> {
  let seconds = 0;
  for (const step of steps) seconds += await secondsFor(origin, step, CONNECTIONS);
  return seconds;
}

const json = (stand: Stand) => ({ authorization: `Bearer ${stand.recordKey}`, 'content-type': 'application/json' });

/** Both messages of each test: first all that began, then all that ended. */
async function streamedTests(stand: Stand): Promise<RoundOf> {
  const rounds = WARM_UP_ROUNDS + ROUNDS;
  const suite = suiteOf({ specs: rounds * STREAMED_SPECS, testsPerSpec: TESTS_PER_SPEC });
  const runId = await startRun(stand, 'streamed', suite);
  return async (number) => {
    const specs = suite.slice(number * STREAMED_SPECS, (number + 1) * STREAMED_SPECS);
    const claimed = await Promise.all(
      specs.map(async (spec) => ({ ...spec, instanceId: await claim(stand, runId, spec) })),
    );
    const messages = claimed.flatMap(({ tests, instanceId, spec }) =>
      tests.map((test) => ({
        ...messagesOf(test, { runId, instanceId, spec }),
        recordId: recordIdOf({ instanceId, testId: test.testId }),
      })),
    );
    const send = (method: string, path: string, body: object): Sent => ({
      method,
      path,
      headers: json(stand),
      body: JSON.stringify(body),
    });
    const steps = [
      messages.map(({ began }) => send('POST', '/test-record', began)),
      messages.map(({ ended, recordId }) => send('PUT', `/test-record/${recordId}`, ended)),
    ];
    return { own: steps, rival: steps, ownCount: messages.length, rivalCount: messages.length };
  };
}

/** Finished spec files, one call at a time as the command sends them. */
async function uploadedTests(stand: Stand): Promise<RoundOf> {
  const rounds = WARM_UP_ROUNDS + ROUNDS;
  const suite = suiteOf({ specs: rounds * UPLOADED_SPECS, testsPerSpec: TESTS_PER_SPEC });
  const { projectId, recordKey } = stand;
  const run = runBody({ projectId, recordKey, ciBuildId: 'uploaded' }, suite);
  const call = (fullTestSuite: unknown, specs: readonly SuiteSpec[]): Sent => ({
    method: 'POST',
    path: '/v1/runs',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ ...run, fullTestSuite, instances: specs.map(instanceBody) })),
  });
  await secondsFor(stand.origin, [call(run.fullTestSuite, [])], 1);
  return (number) => {
    const steps = [[call([], suite.slice(number * UPLOADED_SPECS, (number + 1) * UPLOADED_SPECS))]];
    const count = UPLOADED_SPECS * TESTS_PER_SPEC;
    return { own: steps, rival: steps, ownCount: count, rivalCount: count };
  };
}

async function historyPages({ stand, rival }: Rival): Promise<RoundOf> {
  const test = testOf(stand, 'keeps the discount');
  await writeHistory(stand, [test], PAGE_EXECUTIONS, { outcomes: 'mixed' });
  const path = `/test-results/${test.signature}${query(...EVER)}`;
  const page = await stand.api.get(path);
  await secondsFor(rival, [{ method: 'PUT', path: '/page', body: JSON.stringify(page.body) }], 1);
  const asked: Sent = { method: 'GET', path: `/v1${path}`, headers: { authorization: `Bearer ${stand.recordKey}` } };
  const own = [Array.from({ length: PAGES }, () => asked)];
  const bare = [Array.from({ length: RIVAL_PAGES }, () => asked)];
  return () => ({ own, rival: bare, ownCount: PAGES, rivalCount: RIVAL_PAGES });
}
