/**
 * `DATABASE_URL=<url> npm run bench:postgres` compares the rates at which tests are recorded: by our service and by a
 * plain one with Express and PostgreSQL, each with the protocol of the published reporter and with batches, as our
 * reporter sends them. Both get the same bytes from the same sender. Then the pages of the tests' history are read from
 * both. All kinds of runs alternate, so that a busy machine slows down each of them.
 * `--rounds <n>` changes the number of rounds, `--pg <folder>` names a folder into which `pg` was installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { printError, printLine } from '#infra/cli/terminal/terminal.ts';
import { deriveInstanceId, deriveRecordId, deriveRunId, deriveSignature } from '#shared/model/ids.ts';
import { client, query } from '#test/harness/client.ts';
import { openService, prepareSetup } from './bench-service.ts';
import { type Sent, secondsFor } from './load.ts';
import { median, shown } from './medians.ts';
import type { PostgresOptions } from './postgres-service.ts';
import { note, step } from './progress.ts';
import { markdown } from './report.ts';
import { Served } from './serve.ts';
import { attemptsOf, GROUP, messagesOf, runBody, type SuiteSpec, type SuiteTest, stateOf, suiteOf } from './suite.ts';

const MUST = 3;
const IN_FLIGHT = 8;
const SUITE = suiteOf({ specs: 32, testsPerSpec: 25 });
const TESTS = SUITE.flatMap(({ tests }) => tests).length;

type Owner = Pick<z.output<typeof PostgresOptions>, 'organizationId' | 'projectId' | 'recordKey'>;
/** The requests of a run in steps. A step begins when the previous one has ended. */
type Requests = (owner: Owner, ciBuildId: string) => (Sent | Sent[])[][];

const sender =
  ({ recordKey }: Owner) =>
  (method: string, path: string, body: object): Sent => ({
    method,
    path,
    headers: { authorization: `Bearer ${recordKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const failedAttempts = (test: SuiteTest) => attemptsOf(test).filter(({ errors }) => errors.length > 0);

/** What the published reporter sends. The requests of a spec file are sent in order, as by one worker. */
const published: Requests = (owner, ciBuildId) => {
  const send = sender(owner);
  const runId = deriveRunId({ ...owner, ciBuildId });
  const specFile = ({ spec, tests }: SuiteSpec): Sent[] => {
    const instanceId = deriveInstanceId({ runId, groupId: GROUP, spec });
    const worker = { workerIndex: 0, parallelIndex: 0 };
    const claim = { runId, groupId: GROUP, machineId: MACHINE, spec, worker };
    const ofTest = (test: SuiteTest): Sent[] => {
      const recordId = deriveRecordId({ instanceId, testId: test.testId });
      const { began, ended } = messagesOf(test, { runId, instanceId, spec });
      const files = failedAttempts(test).map(({ attempt }) =>
        send('POST', `/artifacts/test-record/${recordId}`, {
          ...FILE,
          filename: 'error-context.md',
          artifactId: `${recordId}-${attempt}`,
          attemptId: attempt,
        }),
      );
      return [send('POST', '/test-record', began), ...files, send('PUT', `/test-record/${recordId}`, ended)];
    };
    const output = { type: 'stdout', name: 'stdout', contentType: 'text/plain' };
    return [
      send('POST', `/runs/${runId}/pw/instances/v1`, claim),
      ...tests.flatMap(ofTest),
      send('POST', `/artifacts/instance/${instanceId}`, output),
    ];
  };
  return [[send('POST', '/runs/v1', runBody({ ...owner, ciBuildId }, SUITE))], SUITE.map(specFile)];
};

const MACHINE = 'ci-machine-1';
const FILE = { type: 'attachment', name: 'error-context', contentType: 'text/markdown' };

/** What our reporters send: batches of finished spec files, and the files of their failed tests. */
const batchesOf =
  (specsPerBatch: number): Requests =>
  (owner, ciBuildId) => {
    const send = sender(owner);
    const run = `/v1/recordings/${deriveRunId({ ...owner, ciBuildId })}`;
    const { platform, commit, tags, fullTestSuite } = runBody({ ...owner, ciBuildId }, SUITE);
    const groups = fullTestSuite.map(({ tests, ...group }) => ({
      ...group,
      platform,
      tests: tests.map(({ testId, spec }) => ({ testId, spec })),
    }));
    const framework = { type: 'playwright', version: '1.65.1', clientVersion: '0.1.0' };
    const start = { machineId: MACHINE, ciBuildId, framework, commit, tags, groups };
    const batch = (sequence: number): Sent[] => {
      const suite = SUITE.slice(sequence * specsPerBatch, (sequence + 1) * specsPerBatch);
      const instances = suite.map(({ spec, tests }) => ({ groupId: GROUP, spec, tests: tests.map(batchTest) }));
      const sent = send('POST', `${run}/batches`, { machineId: MACHINE, sequence, instances });
      const zipped = {
        ...sent,
        body: gzipSync(sent.body ?? ''),
        headers: { ...sent.headers, 'content-encoding': 'gzip' },
      };
      const files = suite.flatMap(({ spec, tests }) =>
        tests.flatMap((test) => failedAttempts(test).map(({ attempt }) => batchFile(spec, test, attempt))),
      );
      return [zipped, send('POST', `${run}/files`, { machineId: MACHINE, files })];
    };
    const batches = Math.ceil(SUITE.length / specsPerBatch);
    return [
      [send('POST', `/v1/projects/${owner.projectId}/recordings`, start)],
      Array.from({ length: batches }, (_, sequence) => batch(sequence)),
      [send('POST', `${run}/end`, { machineId: MACHINE, batches })],
    ];
  };

const batchFile = (spec: string, { testId }: SuiteTest, attempt: number) => {
  const sha256 = createHash('sha256').update(`${testId} ${attempt}`).digest('hex');
  return { ...FILE, fileName: 'error-context.md', groupId: GROUP, spec, testId, attempt, bytes: 1000, sha256 };
};

/** Like our reporters, omits the steps and output of a test that passed on its first attempt. */
const batchTest = (test: SuiteTest) => ({
  testId: test.testId,
  title: test.title,
  state: stateOf(test),
  isFlaky: test.outcome === 'flaky',
  tags: ['smoke'],
  attempts: attemptsOf(test).map(({ _s, _e, steps, stdout, stderr, ...attempt }) => ({
    ...attempt,
    state: _s,
    ...(test.outcome === 'passed' ? {} : { steps, stdout, stderr }),
  })),
});

/**
 * Our reporter puts spec files that end within five seconds into one batch, up to 400 KB of JSON. Eight spec files of
 * this suite take less than half of that. A spec file that ends alone is the smallest batch that is common.
 */
const PROTOCOLS = { published, small: batchesOf(1), large: batchesOf(8) } as const;
const KINDS = [
  ['ours', 'published'],
  ['postgres', 'published'],
  ['ours', 'small'],
  ['postgres', 'small'],
  ['ours', 'large'],
  ['postgres', 'large'],
  ['ours', 'pages'],
  ['postgres', 'pages'],
] as const;
type Kind = (typeof KINDS)[number];
type Service = Kind[0];

const Counted = z.object({ overall: z.int(), passes: z.int(), failures: z.int() });

/** Records a run, checks that all of its tests can be read, and returns the tests per second. */
async function rateOf(
  origin: string,
  owner: Owner,
  protocol: keyof typeof PROTOCOLS,
  ciBuildId: string,
): Promise<number> {
  let seconds = 0;
  for (const requests of PROTOCOLS[protocol](owner, ciBuildId))
    seconds += await secondsFor(origin, requests, IN_FLIGHT);
  const path = `/runs/find?projectId=${owner.projectId}&ciBuildId=${encodeURIComponent(ciBuildId)}`;
  const { body } = await client(origin, owner.recordKey).get(path);
  const { overall, passes, failures } = Counted.parse(body.data?.groups?.[0]?.tests);
  if (overall !== TESTS || passes + failures !== TESTS)
    throw new Error(`Of ${TESTS} tests, ${overall} were stored, ${passes} as passed and ${failures} as failed`);
  return TESTS / seconds;
}

const PAGES = 200;
const ALL_TIME = query(['date_start', '2026-01-01T00:00:00.000Z'], ['date_end', '2036-01-01T00:00:00.000Z']);

/** Reads the ten latest executions of many tests, and returns the pages per second. */
async function pageRateOf(service: Service, origin: string, owner: Owner): Promise<number> {
  const all = SUITE.flatMap(({ spec, tests }) => tests.map((test) => ({ ...test, spec }))).slice(0, PAGES);
  const paths = all.map(({ spec, title, testId }) => {
    const test = service === 'ours' ? deriveSignature({ ...owner, spec, title }) : testId;
    return `/test-results/${test}${ALL_TIME}`;
  });
  const [first = ''] = paths;
  const { body } = await client(origin, owner.recordKey).get(first);
  if (!(body.data?.length > 0)) throw new Error(`The history ${first} is empty`);
  const headers = { authorization: `Bearer ${owner.recordKey}` };
  const requests = paths.map((path): Sent => ({ method: 'GET', path: `/v1${path}`, headers }));
  return PAGES / (await secondsFor(origin, requests, IN_FLIGHT));
}

/** Starts one of the services in its own process. `ready` is the line that it prints when it is ready. */
function start(file: string, options: object) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', NODE_NO_WARNINGS: '1' },
  });
  child.stdin.write(`${JSON.stringify(options)}\n`);
  const ready = async () => {
    for await (const line of createInterface(child.stdout)) return line;
    throw new Error(`${file} did not start`);
  };
  return { child, ready: ready() };
}

/** Returns the rates of all rounds by kind of run, for example under `'ours small'`. */
async function measure(databaseUrl: string, packages: string, rounds: number): Promise<Map<string, number[]>> {
  const setup = await step('Synthesizing the CDK app and starting the stores', prepareSetup);
  const { close, tableName, ...owner } = await openService(setup, { streams: false });
  // The table and the key stay. From here on, a separate process serves them.
  await close();
  const { organizationId, projectId, recordKey } = owner;
  // Work in the background would go on while the other service is timed.
  const ours = start('serve.ts', { ...setup, tableName, streams: false, schedules: false });
  ours.child.stdin.end();
  const postgres = start('postgres-service.ts', { databaseUrl, packages, organizationId, projectId, recordKey });
  try {
    const origins = { ours: Served.parse(JSON.parse(await ours.ready)).own, postgres: await postgres.ready };
    const rates = new Map<string, number[]>();
    for (let round = 0; round <= rounds; round += 1) {
      note(`Round ${round} of ${rounds}, load ${loadavg()[0]?.toFixed(1)}`);
      // Every other round goes backwards, so that no kind always follows the same one.
      for (const [service, protocol] of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
        const rate =
          protocol === 'pages'
            ? await pageRateOf(service, origins[service], owner)
            : await rateOf(origins[service], owner, protocol, `${protocol} ${round}`);
        // The first round compiles the code, so it is not counted.
        if (round > 0) rates.set(`${service} ${protocol}`, [...(rates.get(`${service} ${protocol}`) ?? []), rate]);
      }
    }
    return rates;
  } finally {
    ours.child.kill();
    postgres.child.stdin.end();
    await setup.close();
  }
}

const RATIOS: readonly (readonly [name: string, over: Kind, under: Kind])[] = [
  ['Ours, batches of 25 tests : published protocol', ['ours', 'small'], ['ours', 'published']],
  ['Ours, batches of 200 tests : published protocol', ['ours', 'large'], ['ours', 'published']],
  ['PostgreSQL, batches of 25 tests : published protocol', ['postgres', 'small'], ['postgres', 'published']],
  ['PostgreSQL, batches of 200 tests : published protocol', ['postgres', 'large'], ['postgres', 'published']],
  ['PostgreSQL : ours, published protocol', ['postgres', 'published'], ['ours', 'published']],
  ['PostgreSQL : ours, batches of 25 tests', ['postgres', 'small'], ['ours', 'small']],
  ['PostgreSQL : ours, batches of 200 tests', ['postgres', 'large'], ['ours', 'large']],
  ['PostgreSQL : ours, pages of the history of a test', ['postgres', 'pages'], ['ours', 'pages']],
];
/** The number of ratios that have a minimum: the first ones, which are those of our own service. */
const BOUND = 2;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, pg: { type: 'string', default: '.' } },
});
const { DATABASE_URL: databaseUrl } = process.env;
const packages = resolve(values.pg);
if (databaseUrl === undefined) {
  printError(
    'DATABASE_URL is missing. Start a PostgreSQL server (Debian: `apt install postgresql`), and set it to a URL such as postgres://user@127.0.0.1/postgres. The schema `rundown_bench` is created in it, and dropped at the end.',
  );
  process.exitCode = 1;
} else if (!existsSync(join(packages, 'node_modules/pg'))) {
  printError(
    'The package `pg` is missing. Run `npm install --no-save pg`, or pass a folder into which it was installed: `--pg <folder>`.',
  );
  process.exitCode = 1;
} else {
  const rates = await measure(databaseUrl, packages, Number(values.rounds));
  const ratios = RATIOS.map(([name, over, under]) => {
    const others = rates.get(under.join(' ')) ?? [];
    return { name, all: (rates.get(over.join(' ')) ?? []).map((rate, round) => rate / (others[round] ?? Number.NaN)) };
  });
  const rows = ratios.map(({ name, all }) => [name, shown(all, 1)]);
  printLine(
    markdown([
      ['Tests recorded, or pages read, per second', `Ratio (median of ${values.rounds} rounds, interval)`],
      ...rows,
    ]),
  );
  for (const { name, all } of ratios.slice(0, BOUND)) {
    if (median(all) >= MUST) continue;
    printError(`${name}: the ratio is ${median(all).toFixed(2)}. It must be at least ${MUST}.`);
    process.exitCode = 1;
  }
}
