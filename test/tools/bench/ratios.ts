/** Compares the service with a bare server in alternating rounds, so that a busy machine slows down both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { deriveRecordId } from '#shared/model/ids.ts';
import { type BenchService, type BenchSetup, openService } from './bench-service.ts';
import type { Ratio } from './budgets.ts';
import { historyPath, testOf, writeHistory } from './history.ts';
import { type Sent, secondsFor } from './load.ts';
import { median } from './medians.ts';
import { claim, startRun } from './recording.ts';
import { Served } from './serve.ts';
import { instanceBody, messagesOf, runBody, type SuiteSpec, suiteOf } from './suite.ts';

const CONNECTIONS = 8;
const WARM_UP_ROUNDS = 1;
const ROUNDS = 5;
const TESTS_PER_SPEC = 25;
const STREAMED_SPECS = 4;
const UPLOADED_SPECS = 8;
const PAGES = 200;
const PAGE_EXECUTIONS = 500;
/** The bare server is so fast that timing fewer requests would be inaccurate. */
const BARE_PAGES = 2000;

interface Servers {
  readonly own: string;
  readonly bare: string;
  readonly service: BenchService;
}

/** The requests of one round, grouped into steps. Each step starts after the previous one has ended. */
interface Round {
  readonly own: readonly (readonly Sent[])[];
  readonly bare: readonly (readonly Sent[])[];
  /** The number of tests or pages that one round counts, for this service and for the bare server. */
  readonly ownCount: number;
  readonly bareCount: number;
}

export async function measureRatios(setup: BenchSetup): Promise<Ratio[]> {
  const service = await openService(setup);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  try {
    child.stdin.end(JSON.stringify({ ...setup, tableName: service.tableName }));
    const [line] = z.tuple([z.string()]).parse(await once(createInterface(child.stdout), 'line'));
    const served = { ...Served.parse(JSON.parse(line)), service };
    return [
      await compare(served, 'Streamed tests recorded', 'tests/s', await streamedTests(service)),
      await compare(served, 'Uploaded tests recorded', 'tests/s', await uploadedTests(service)),
      await compare(served, 'History pages of 10 read', 'pages/s', await historyPages(served)),
    ];
  } finally {
    child.kill();
    await service.close();
  }
}

type RoundOf = (round: number) => Promise<Round> | Round;

async function compare({ own, bare }: Servers, label: string, unit: string, roundOf: RoundOf): Promise<Ratio> {
  const rates: { own: number; bare: number }[] = [];
  for (let number = 0; number < WARM_UP_ROUNDS + ROUNDS; number += 1) {
    const round = await roundOf(number);
    const ownSeconds = await inSteps(own, round.own);
    const bareSeconds = await inSteps(bare, round.bare);
    rates.push({ own: round.ownCount / ownSeconds, bare: round.bareCount / bareSeconds });
  }
  const timed = rates.slice(WARM_UP_ROUNDS);
  return {
    label,
    unit,
    ratio: median(timed.map((rate) => rate.own / rate.bare)),
    perSecond: median(timed.map((rate) => rate.own)),
    barePerSecond: median(timed.map((rate) => rate.bare)),
  };
}

async function inSteps(origin: string, steps: readonly (readonly Sent[])[]): Promise<number> {
  let seconds = 0;
  for (const step of steps) seconds += await secondsFor(origin, step, CONNECTIONS);
  return seconds;
}

const json = (service: BenchService) => ({
  authorization: `Bearer ${service.recordKey}`,
  'content-type': 'application/json',
});

/** Streams tests with two messages per test. All first messages are sent before all results. */
async function streamedTests(service: BenchService): Promise<RoundOf> {
  const rounds = WARM_UP_ROUNDS + ROUNDS;
  const suite = suiteOf({ specs: rounds * STREAMED_SPECS, testsPerSpec: TESTS_PER_SPEC });
  const runId = await startRun(service, 'streamed', suite);
  return async (number) => {
    const specs = suite.slice(number * STREAMED_SPECS, (number + 1) * STREAMED_SPECS);
    const claimed = await Promise.all(
      specs.map(async (spec) => ({ ...spec, instanceId: await claim(service, runId, spec) })),
    );
    const messages = claimed.flatMap(({ tests, instanceId, spec }) =>
      tests.map((test) => ({
        ...messagesOf(test, { runId, instanceId, spec }),
        recordId: deriveRecordId({ instanceId, testId: test.testId }),
      })),
    );
    const send = (method: string, path: string, body: object): Sent => ({
      method,
      path,
      headers: json(service),
      body: JSON.stringify(body),
    });
    const steps = [
      messages.map(({ began }) => send('POST', '/test-record', began)),
      messages.map(({ ended, recordId }) => send('PUT', `/test-record/${recordId}`, ended)),
    ];
    return { own: steps, bare: steps, ownCount: messages.length, bareCount: messages.length };
  };
}

/** Uploads finished spec files one request at a time, like `currents upload`. */
async function uploadedTests(service: BenchService): Promise<RoundOf> {
  const rounds = WARM_UP_ROUNDS + ROUNDS;
  const suite = suiteOf({ specs: rounds * UPLOADED_SPECS, testsPerSpec: TESTS_PER_SPEC });
  const { projectId, recordKey } = service;
  const run = runBody({ projectId, recordKey, ciBuildId: 'uploaded' }, suite);
  const call = (fullTestSuite: unknown, specs: readonly SuiteSpec[]): Sent => ({
    method: 'POST',
    path: '/v1/runs',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ ...run, fullTestSuite, instances: specs.map(instanceBody) })),
  });
  await secondsFor(service.origin, [call(run.fullTestSuite, [])], 1);
  return (number) => {
    const steps = [[call([], suite.slice(number * UPLOADED_SPECS, (number + 1) * UPLOADED_SPECS))]];
    const count = UPLOADED_SPECS * TESTS_PER_SPEC;
    return { own: steps, bare: steps, ownCount: count, bareCount: count };
  };
}

async function historyPages({ service, bare: bareOrigin }: Servers): Promise<RoundOf> {
  const test = testOf(service, 'keeps the discount');
  await writeHistory(service, [test], PAGE_EXECUTIONS, { outcomes: 'mixed' });
  const path = historyPath(test);
  const page = await service.api.get(path);
  await secondsFor(bareOrigin, [{ method: 'PUT', path: '/page', body: JSON.stringify(page.body) }], 1);
  const asked: Sent = { method: 'GET', path: `/v1${path}`, headers: { authorization: `Bearer ${service.recordKey}` } };
  const own = [Array.from({ length: PAGES }, () => asked)];
  const bare = [Array.from({ length: BARE_PAGES }, () => asked)];
  return () => ({ own, bare: bare, ownCount: PAGES, bareCount: BARE_PAGES });
}
