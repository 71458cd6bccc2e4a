/** Measures the CPU time and memory of the most expensive failure contexts, at every level and in both formats. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { instanceIdOf } from '#shared/model/ids.ts';
import type { BenchService, BenchSetup } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { MeasuredBody } from './measured-body.ts';
import { note } from './progress.ts';
import { GROUP, runBody, type SuiteTest } from './suite.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'measured-context.ts');

const TESTS = 50;
const SPEC = 'tests/hostile.spec.ts';
/** What one stream of output keeps, besides the number of the test. */
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

/** What each of the tests leaves. */
const CONTENTS: Readonly<Record<string, (test: number) => object>> = {
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
  'short steps': () => ({ steps: Array.from({ length: 5000 }, () => step('')) }),
  'different steps': (test) => ({ steps: Array.from({ length: 5000 }, (_, index) => step(`${test} ${index}`)) }),
  'long steps': (test) => ({
    steps: Array.from({ length: 400 }, (_, index) => step(`${test} ${index} `.padEnd(2048, '-'))),
  }),
  'deep steps': (test) => ({
    steps: Array.from({ length: 20 }, (_, chain) =>
      Array.from({ length: 45 }).reduce<Step>(
        (inner, _, level) => step(`${test} ${chain} ${level}`, [inner]),
        step('x'),
      ),
    ),
  }),
};

const LEVELS = ['run, 10', 'run, 50', 'instance, 10', 'test'] as const;
const FORMATS = ['json', 'md'] as const;

export async function measureContexts({ assembly }: BenchSetup, service: BenchService): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-contexts-'));
  let [slowest, largest] = [
    { measured: 0, note: '' },
    { measured: 0, note: '' },
  ];
  const small = await record(service, 'small', () => ({}), 1);
  try {
    for (const [name, content] of Object.entries(CONTENTS)) {
      const ids = await record(service, name, content, TESTS);
      for (const level of LEVELS) {
        for (const format of FORMATS) {
          const file = join(folder, 'question.json');
          const question = {
            small: eventOf(service, { ...queryOf('run, 10', small), format }),
            event: eventOf(service, { ...queryOf(level, ids), format }),
            environment: service.environment,
          };
          await writeFile(file, JSON.stringify(question));
          const { stdout } = await run(process.execPath, [PROGRAM, join(assembly, 'bundles', 'get-context'), file]);
          const { status, milliseconds, growthBytes } = MeasuredBody.parse(JSON.parse(stdout));
          const megabytes = growthBytes / 2 ** 20;
          const title = `${name}, ${level}, ${format}`;
          note(`    ${title}: ${status}, ${milliseconds.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`);
          if (milliseconds > slowest.measured) slowest = { measured: milliseconds, note: title };
          if (megabytes > largest.measured) largest = { measured: megabytes, note: title };
        }
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return [
    { name: 'contextMilliseconds', ...slowest },
    { name: 'contextMegabytes', ...largest },
  ];
}

interface Ids {
  readonly runId: string;
  readonly instanceId: string;
  readonly testId: string;
}

function queryOf(level: (typeof LEVELS)[number], { runId, instanceId, testId }: Ids): Record<string, string> {
  if (level === 'test') return { instance_id: instanceId, test_id: testId };
  if (level === 'instance, 10') return { run_id: runId, instance_id: instanceId };
  return { run_id: runId, limit: level === 'run, 50' ? '50' : '10' };
}

function eventOf({ organizationId }: BenchService, query: Readonly<Record<string, string>>): object {
  const caller = { kind: 'apiKey', organizationId, keyId: 'bench', label: 'bench', level: 'readWrite' };
  return {
    httpMethod: 'GET',
    multiValueHeaders: { 'accept-encoding': ['gzip'] },
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    pathParameters: null,
    requestContext: { requestId: 'measured', authorizer: { caller: JSON.stringify(caller) } },
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
  const body = {
    ...runBody({ projectId: service.projectId, recordKey: service.recordKey, ciBuildId }, [{ spec: SPEC, tests }]),
    instances: [
      {
        groupId: GROUP,
        spec: SPEC,
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
      },
    ],
  };
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await service.api.send('POST', '/runs', gzipSync(JSON.stringify(body)), { headers });
  if (answer.status !== 200) throw new Error(`${ciBuildId} was answered with ${answer.status}`);
  const { runId } = answer.body;
  return { runId, instanceId: instanceIdOf({ runId, groupId: GROUP, spec: SPEC }), testId: 'test-0' };
}
