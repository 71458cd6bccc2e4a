/**
 * Jobs of a matrix, commands of a job and shards that die before their report. In a later try, none of them may take the
 * report of another one for its own: its tests would run in no try, and the job would pass.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { type Installed, installClient } from './installed.ts';
import { github, NAMINGS, STATES, type State, TELL_APART, type Variables } from './worlds.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await installClient();
  await writeFile(join(installed.folder, 'runner.mjs'), RUNNER);
  for (const spec of SUITE) await writeFile(join(installed.folder, spec), '');
});
afterAll(() => installed.remove());

const SUITE = ['a.test.ts', 'b.test.ts', 'c.test.ts'];
const FAILING = 'b.test.ts';

/** Runs the spec files that its arguments name, or all. Says which, and writes a report, unless it dies. */
const RUNNER = `import { writeFileSync } from 'node:fs';
const { REPORT: report, STATE: state } = process.env;
const specs = process.argv.slice(2).filter((word) => !word.startsWith('-'));
if (state === 'dies') process.exit(1);
const ran = specs.length > 0 ? specs : ${JSON.stringify(SUITE)};
console.log('ran ' + ran.join());
const fails = (spec) => ['fails', 'is killed'].includes(state) && spec === ${JSON.stringify(FAILING)};
const cases = ran.map((spec) => '<testcase name="t" file="' + spec + '">' + (fails(spec) ? '<failure message="no"/>' : '') + '</testcase>');
writeFileSync(report, '<testsuites><testsuite name="s">' + cases.join('') + '</testsuite></testsuites>');
if (state === 'is killed') process.kill(process.pid, 'SIGKILL');
process.exitCode = ran.some(fails) ? 1 : 0;`;

interface Ended {
  readonly status: number;
  readonly ran: readonly string[];
  readonly errors: string;
}

/** Runs the command of a job, as the set-up of CI says. What happens is no part of its command line. */
async function runJob(
  state: State | 'is killed',
  variables: Variables,
  command: readonly string[] = [],
): Promise<Ended> {
  if (state === 'is lost') return { status: 1, ran: [], errors: '' };
  await rm(join(installed.folder, 'report.xml'), { force: true });
  const { status, output, errors } = await installed.rundown(
    [
      ...['run', '--report', 'report.xml', '--', 'node_modules/.bin/rundown', 'last-failed', '--format', 'vitest'],
      ...['--', 'node', 'runner.mjs', ...command],
    ],
    { ...(await findKey()), ...variables, STATE: state, REPORT: 'report.xml' },
  );
  return { status, ran: /^ran (\S+)$/m.exec(output)?.[1]?.split(',') ?? [], errors };
}

let shared: Promise<TestService & Tenant> | undefined;

async function findKey(): Promise<Variables> {
  shared ??= service();
  const { origin, projectId, keys } = await shared;
  vi.useRealTimers();
  return { RUNDOWN_URL: origin, RUNDOWN_PROJECT: projectId, RUNDOWN_API_KEY: keys.readWrite };
}

let number = 0;
const nextBuild = (): string => {
  number += 1;
  return String(9000 + number);
};

interface World {
  readonly name: string;
  /** What happens to each job in each try. Who passed is not run again, unless all jobs are. */
  readonly tries: readonly (readonly [State, State])[];
}

const WORLDS: readonly World[] = Object.keys(NAMINGS).flatMap((name) =>
  STATES.flatMap((one) =>
    STATES.flatMap((other): World[] => [
      {
        name,
        tries: [
          [one, other],
          ['passes', 'passes'],
        ],
      },
      {
        name,
        tries: [
          [one, other],
          ['fails', 'is lost'],
          ['passes', 'passes'],
        ],
      },
    ]),
  ),
);

/** What each job ran in each of its tries, until it passed. */
async function live({ name, tries }: World) {
  const build = nextBuild();
  const jobs = [1, 2].map((leg) => ({ leg, tries: [] as { state: State; ended: Ended }[] }));
  for (const [index, states] of tries.entries())
    for (const { leg, tries: ofJob } of jobs) {
      if (ofJob.at(-1)?.ended.status === 0) continue;
      const state = states[leg - 1] ?? 'passes';
      ofJob.push({ state, ended: await runJob(state, NAMINGS[name]?.(build, leg, index + 1) ?? {}) });
    }
  return jobs;
}

describe('A job that passes in a later try', () => {
  test.each(sampled(WORLDS, 39).map((world) => [world.name, JSON.stringify(world.tries), world] as const))(
    'has run each of its tests in one of its tries, and repeats only its own failures where jobs can be told apart: %s, %s',
    async (name, _, world) => {
      for (const { tries } of await live(world)) {
        const last = tries.at(-1)?.ended;
        const passed = new Set<string>();
        for (const { state, ended } of tries)
          for (const spec of ended.ran) {
            if (state === 'fails' && spec === FAILING) passed.delete(spec);
            else passed.add(spec);
          }
        if (last?.status === 0) expect([...passed].toSorted()).toEqual(SUITE);
        const [first, second] = tries;
        if (TELL_APART.includes(name) && first?.state === 'fails' && second && second.state !== 'is lost')
          expect(second.ended.ran).toEqual([FAILING]);
        if (second && first && ['is lost', 'dies'].includes(first.state) && second.state !== 'is lost')
          expect(second.ended.ran).toEqual(SUITE);
      }
    },
  );
});

describe('A job without a matrix in GitHub Actions', () => {
  const NONE = 'jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n';

  /** Commits the workflow, as a checkout has it. Returns what the job knows about it. */
  async function commitWorkflow(workflow: string): Promise<Variables> {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: installed.folder,
        encoding: 'utf8',
      }).trim();
    await mkdir(join(installed.folder, '.github/workflows'), { recursive: true });
    await writeFile(join(installed.folder, '.github/workflows/tests.yml'), workflow);
    git('init', '--quiet');
    git('add', '.github');
    git('commit', '--quiet', '--allow-empty', '--message', 'Test');
    return {
      GITHUB_WORKSPACE: installed.folder,
      GITHUB_WORKFLOW_REF: 'acme/shop/.github/workflows/tests.yml@refs/heads/main',
      GITHUB_WORKFLOW_SHA: git('rev-parse', 'HEAD'),
    };
  }

  const OTHER_JOB = '  other:\n    strategy:\n      matrix: { node: [22, 24] }\n    runs-on: ubuntu-latest\n';

  test('repeats what failed without any setting, because the workflow file proves that it has no sisters', async () => {
    const workflow = await commitWorkflow(`name: tests\non: push\n${NONE}${OTHER_JOB}`);
    const build = nextBuild();
    const first = await runJob('fails', { ...github(build, 1, 1), ...workflow });
    expect(first).toMatchObject({
      status: 1,
      ran: SUITE,
      errors: expect.stringContaining('the first try of its build'),
    });
    const second = await runJob('passes', { ...github(build, 1, 2), ...workflow });
    expect(second).toMatchObject({ status: 0, ran: [FAILING] });
  });

  test.each([
    ['has a matrix', NONE.replace('    runs-on', '    strategy: { matrix: { node: [22, 24] } }\n    runs-on')],
    [
      'has a matrix with a quoted key',
      NONE.replace('    runs-on', '    "strategy":\n      matrix: *nodes\n    runs-on'),
    ],
    ['is merged from another one', NONE.replace('    runs-on', '    <<: *base\n    runs-on')],
    ['is an alias', 'jobs:\n  test: *base\n'],
    ['is written in one line', 'jobs: { test: { runs-on: ubuntu-latest } }\n'],
    ['may be that of a called workflow', `${NONE}  called:\n    uses: ./.github/workflows/called.yml\n`],
    ['is not in the file', NONE.replace('test:', 'tests:')],
  ])('runs everything if the job %s, and says what to do', async (_, workflow) => {
    const variables = await commitWorkflow(workflow);
    const ended = await runJob('passes', { ...github(nextBuild(), 1, 2), ...variables });
    expect(ended).toMatchObject({ status: 0, ran: SUITE });
    expect(ended.errors).toContain('all tests run. GitHub Actions does not tell apart the jobs of a matrix');
    expect(ended.errors).toContain('set RUNDOWN_LEG: $' + '{{ toJSON(matrix) }} in the env of this job');
  });
});

describe('Several commands of one job', () => {
  test('A command that did not start in the try before runs all its tests, even if an equal command of the same job reported', async () => {
    const variables = (number: number) => NAMINGS['parallel jobs in GitLab CI']?.(build, 1, number) ?? {};
    const build = nextBuild();
    await runJob('fails', variables(1));
    expect(await runJob('passes', variables(2))).toMatchObject({ ran: [FAILING] });
    const twin = await runJob('passes', { ...variables(2), DATABASE: 'mysql' });
    expect(twin).toMatchObject({ ran: SUITE, errors: expect.stringContaining('cannot be told apart') });
    const other = await runJob('passes', variables(2), ['--other']);
    expect(other).toMatchObject({ ran: SUITE, errors: expect.stringContaining('Nothing proves that this command') });
  });

  test('run everything if one of them died, and another one with the same command line reported', async () => {
    const variables = (number: number) => NAMINGS['parallel jobs in GitLab CI']?.(build, 1, number) ?? {};
    const build = nextBuild();
    await runJob('dies', variables(1));
    await runJob('passes', { ...variables(1), DATABASE: 'mysql' });
    expect(await runJob('passes', variables(2))).toMatchObject({ status: 0, ran: SUITE });
  });

  test.each([
    ['a command that stops after the first failure', 'fails', ['--bail']],
    ['a command that a signal ended after its report', 'is killed', []],
  ] as const)('run everything after %s', async (_, state, words) => {
    const build = nextBuild();
    const variables = (number: number) => NAMINGS['parallel jobs in GitLab CI']?.(build, 1, number) ?? {};
    await runJob(state, variables(1), words);
    expect(await runJob('passes', variables(2), words)).toMatchObject({ status: 0, ran: SUITE });
  });
});

test('A command that is not started by `rundown run` runs everything, because nobody knows whether it reported', async () => {
  const build = nextBuild();
  const bare = async (number: number, state: State) => {
    const variables = NAMINGS['parallel jobs in GitLab CI']?.(build, 1, number) ?? {};
    return installed.rundown(['last-failed', '--format', 'vitest', '--', 'node', 'runner.mjs'], {
      ...{ ...(await findKey()), ...variables, STATE: state, REPORT: 'bare.xml' },
    });
  };
  await bare(1, 'fails');
  const variables = NAMINGS['parallel jobs in GitLab CI']?.(build, 1, 1) ?? {};
  await installed.rundown(['upload', 'bare.xml'], { ...(await findKey()), ...variables });
  const { output, errors } = await bare(2, 'passes');
  expect(output).toContain(`ran ${SUITE.join()}`);
  expect(errors).toContain('start it by `rundown run --report <its report> -- rundown last-failed`');
});

test('A report that a second tool overwrites without a failure keeps the exit code, fails the run, and lets everything run again', async () => {
  const build = nextBuild();
  const variables = (number: number) => NAMINGS['parallel jobs in GitLab CI']?.(build, 1, number) ?? {};
  await writeFile(join(installed.folder, 'twice.sh'), 'STATE=$STATE "$@"; code=$?; STATE=passes "$@"; exit $code\n');
  const start = async (number: number, state: string) =>
    installed.rundown(
      [
        ...['run', '--report', 'twice.xml', '--', 'node_modules/.bin/rundown', 'last-failed', '--format', 'vitest'],
        ...['--', 'sh', 'twice.sh', 'node', 'runner.mjs'],
      ],
      { ...(await findKey()), ...variables(number), STATE: state, REPORT: 'twice.xml' },
    );
  const first = await start(1, 'fails');
  expect(first).toMatchObject({ status: 1, errors: expect.stringContaining('The reports have no failed test') });
  expect(await readFile(join(installed.folder, 'twice.xml'), 'utf8')).not.toContain('failure');
  const second = await start(2, 'passes');
  expect(second.output).toContain(`ran ${SUITE.join()}`);
  expect(second.errors).toContain('failed for another reason than its tests');
});
