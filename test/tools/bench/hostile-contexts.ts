/** Measures the CPU time and memory of the most expensive failure contexts, at every level and in both formats. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type * as z from 'zod';
import { deriveInstanceId } from '#shared/model/ids.ts';
import type { BenchService, BenchSetup } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { MeasuredBody } from './measured-body.ts';
import { note } from './progress.ts';
import { GROUP, runBody, type SuiteSpec, type SuiteTest } from './suite.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'measured-context.ts');

const TESTS = 50;
const ROUNDS = 3;
/** A context that takes at most this much CPU time is measured only once. */
const CHEAP_MILLISECONDS = 200;
/** Tests per spec file and per request. A request with all 50 tests would contain too many objects. */
const TESTS_PER_SPEC = 10;
/** The length of an output stream, a little below the maximum that recording keeps. */
const OUTPUT_CHARACTERS = 60_000;

const filled = (part: (index: number) => string, characters = OUTPUT_CHARACTERS): string => {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < characters; index += 1) {
    const next = part(index);
    parts.push(next);
    length += next.length;
  }
  return parts.join('');
};
const base64 = (text: string): string => Buffer.from(text).toString('base64').replaceAll('=', '');
const output = (text: (test: number) => string) => (test: number) => ({ stdout: [`${test}\n${text(test)}`] });

interface Step {
  readonly title: string;
  readonly category: string;
  readonly duration: number;
  readonly steps: readonly Step[];
}
const step = (title: string, steps: readonly Step[] = []): Step => ({
  title,
  category: 'test.step',
  duration: 1,
  steps,
});

/**
 * Tests that have nothing but an error. The costs of other tests are relative to theirs. Reading 50 of them takes about
 * a hundred queries.
 */
const NO_EVIDENCE = 'nothing but an error';

/** The kinds of evidence, each with a function that creates the evidence of a test. */
const CONTENTS: Readonly<Record<string, (test: number) => object>> = {
  [NO_EVIDENCE]: () => ({}),
  'ordinary output': output((test) => filled((index) => `order ${test * index} has ${index} articles\n`)),
  'lines of output': (test) => ({
    stdout: Array.from({ length: 1500 }, (_, index) => `order ${test * index} has ${index} articles\n`),
  }),
  'repeated authorization=': output(() => 'authorization='.repeat(OUTPUT_CHARACTERS / 14)),
  'short texts in Base64': output((test) =>
    filled((index) => `${base64(`${test} ${index} the total is`.slice(0, 18))} `),
  ),
  'short texts in Base64 with names of secrets': output((test) =>
    filled((index) => `${base64(`${index}authorization=aa${test}`.slice(0, 18))} `),
  ),
  'Base64 three times': output((test) =>
    filled((index) => `${base64(base64(base64(`${test} ${index} the total is`.slice(0, 18))))}/`),
  ),
  'long errors': (test) => ({
    errors: [
      {
        message: filled((index) => `order ${test * index} has ${index} articles\n`, 30_000),
        stack: filled((index) => `at order ${test * index} (order-${index}.ts:1:1)\n`),
      },
    ],
  }),
  'short steps': () => ({ steps: Array.from({ length: 5000 }, () => step('')) }),
  'different steps': (test) => ({ steps: Array.from({ length: 5000 }, (_, index) => step(`${test} ${index}`)) }),
  'long steps': (test) => ({
    steps: Array.from({ length: 400 }, (_, index) => step(`${test} ${index} `.padEnd(2048, '-'))),
  }),
  'deep steps': (test) => ({
    steps: Array.from({ length: 20 }, (_, chain) =>
      Array.from({ length: 40 }).reduce<Step>(
        (inner, _, level) => step(`${test} ${chain} ${level}`, [inner]),
        step('x'),
      ),
    ),
  }),
};

/**
 * The contexts that are requested. The output of 25 tests is just below the maximum amount of text that the service
 * masks for one answer.
 */
const LEVELS = ['run, 10', 'run, 25', 'run, 50', 'instance, 10', 'test'] as const;
const ASKED = [
  ...LEVELS.flatMap((level) => [
    { level, format: 'json' },
    { level, format: 'md' },
  ]),
  { level: 'run, 50', format: 'md', max_length: '24000' },
  { level: 'run, 50', format: 'json', detail: 'compact' },
  { level: 'run, 50', format: 'md', detail: 'compact', max_length: '24000' },
] as const;

export async function measureContexts({ assembly }: BenchSetup, service: BenchService): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-contexts-'));
  let slowest = { milliseconds: 0, title: '' };
  /**
   * The highest cost of a context whose tests have nothing but an error. Other costs are relative to it, because
   * machines differ.
   */
  let base = 0;
  let largest = { measured: 0, note: '' };
  const small = await record(service, 'small', () => ({}), 1);
  try {
    for (const [name, content] of Object.entries(CONTENTS)) {
      const ids = await record(service, name, content, TESTS);
      for (const { level, ...shape } of ASKED) {
        const file = join(folder, 'question.json');
        const question = {
          small: eventOf(service, { ...queryOf('run, 10', small), format: shape.format }),
          event: eventOf(service, { ...queryOf(level, ids), ...shape }),
          environment: service.environment,
        };
        await writeFile(file, JSON.stringify(question));
        const { status, milliseconds, growthBytes } = await best(join(assembly, 'bundles', 'get-context'), file);
        const megabytes = growthBytes / 2 ** 20;
        const title = [name, level, ...Object.values(shape)].join(', ');
        note(`    ${title}: ${status}, ${milliseconds.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`);
        if (name === NO_EVIDENCE) base = Math.max(base, milliseconds);
        if (milliseconds > slowest.milliseconds) slowest = { milliseconds, title };
        if (megabytes > largest.measured) largest = { measured: megabytes, note: title };
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return [
    { name: 'contextCost', measured: slowest.milliseconds / base, note: slowest.title },
    { name: 'contextMegabytes', ...largest },
  ];
}

/**
 * Returns the lowest CPU time of several rounds, because other processes only increase it, for example by evicting
 * caches. The memory is the highest of all rounds.
 */
async function best(bundle: string, file: string): Promise<z.output<typeof MeasuredBody>> {
  let least = await measured(bundle, file);
  let most = 0;
  for (let round = 1; round < ROUNDS && least.milliseconds > CHEAP_MILLISECONDS; round += 1) {
    const again = await measured(bundle, file);
    most = Math.max(most, again.growthBytes);
    if (again.milliseconds < least.milliseconds) least = again;
  }
  return { ...least, growthBytes: Math.max(most, least.growthBytes) };
}

const measured = async (bundle: string, file: string) =>
  MeasuredBody.parse(JSON.parse((await run(process.execPath, [PROGRAM, bundle, file])).stdout));

interface Ids {
  readonly runId: string;
  readonly instanceId: string;
  readonly testId: string;
}

function queryOf(level: (typeof LEVELS)[number], { runId, instanceId, testId }: Ids): Record<string, string> {
  if (level === 'test') return { instance_id: instanceId, test_id: testId };
  if (level === 'instance, 10') return { run_id: runId, instance_id: instanceId };
  return { run_id: runId, limit: level.slice('run, '.length) };
}

function eventOf({ organizationId }: BenchService, query: Readonly<Record<string, string>>): object {
  const actor = { kind: 'apiKey', organizationId, keyId: 'bench', label: 'bench', level: 'readWrite' };
  return {
    httpMethod: 'GET',
    multiValueHeaders: { 'accept-encoding': ['gzip'] },
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    pathParameters: null,
    requestContext: { requestId: 'measured', authorizer: { actor: JSON.stringify(actor) } },
    body: null,
    isBase64Encoded: false,
  };
}

async function record(
  service: BenchService,
  ciBuildId: string,
  content: (test: number) => object,
  count: number,
): Promise<Ids> {
  const tests = Array.from(
    { length: count },
    (_, number): SuiteTest => ({ number, testId: `test-${number}`, title: [`fails ${number}`], outcome: 'failed' }),
  );
  const suite = Array.from({ length: Math.ceil(count / TESTS_PER_SPEC) }, (_, file) => ({
    spec: `tests/hostile-${file}.spec.ts`,
    tests: tests.slice(file * TESTS_PER_SPEC, (file + 1) * TESTS_PER_SPEC),
  }));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const beginning = runBody({ projectId: service.projectId, recordKey: service.recordKey, ciBuildId }, suite);
  let runId = '';
  for (const one of suite) {
    const body = gzipSync(JSON.stringify({ ...beginning, instances: [instanceOf(one, content)] }));
    const answer = await service.api.send('POST', '/runs', body, { headers });
    if (answer.status !== 200) throw new Error(`${ciBuildId} was answered with ${answer.status}`);
    runId = answer.body.runId;
  }
  const instanceId = deriveInstanceId({ runId, groupId: GROUP, spec: suite[0]?.spec ?? '' });
  return { runId, instanceId, testId: 'test-0' };
}

const instanceOf = ({ spec, tests }: SuiteSpec, content: (test: number) => object) => ({
  groupId: GROUP,
  spec,
  startTime: '2026-11-02T10:00:00.000Z',
  results: {
    tests: tests.map(({ number, testId, title }) => ({
      testId,
      title,
      state: 'failed',
      attempts: [
        {
          _s: 'failed',
          attempt: 0,
          duration: 1,
          errors: [{ message: `The total of order ${number} is wrong` }],
          ...content(number),
        },
      ],
    })),
  },
});
