import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findLeg } from '#infra/client/settings/leg.ts';
import { read } from '#test/harness/recording-readback.ts';
import { createRule } from '#test/harness/rules.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { imported, junit } from '#test/imports/reports.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { type Installed, installClient } from './installed.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await installClient();
});
afterAll(() => installed.remove());

let shared: Promise<TestService & Tenant> | undefined;
/** A project whose rule quarantines the test `pays`. */
const sharedProject = () =>
  (shared ??= service().then(async (tenant) => {
    await createRule(tenant);
    return tenant;
  }));

const QUARANTINED = junit({ 'cart.test.ts': { pays: 'failed', sums: 'passed' } });
const FAILED = junit({ 'cart.test.ts': { pays: 'failed', sums: 'failed' } });
const PASSED = junit({ 'cart.test.ts': { sums: 'passed' } });

let number = 0;

/** A command that writes reports and then ends. `files`: names, without `.xml`, and contents. */
async function makeCommand(files: Readonly<Record<string, string>>, end: string, before = '') {
  vi.useRealTimers();
  number += 1;
  const id = `c${number}`;
  const writes = Object.entries(files).map(
    ([name, content]) => `writeFileSync(${JSON.stringify(`${id}-${name}.xml`)}, ${JSON.stringify(content)});`,
  );
  const imports = `import { writeFileSync } from 'node:fs';\nimport { spawnSync } from 'node:child_process';`;
  await writeFile(join(installed.folder, `${id}.mjs`), [imports, before, ...writes, end].join('\n'));
  return { id, command: ['--', 'node', `${id}.mjs`], pattern: `${id}-*.xml` };
}

async function rundown(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { origin, projectId, keys } = await sharedProject();
  vi.useRealTimers();
  const variables = { RUNDOWN_URL: origin, RUNDOWN_PROJECT: projectId, RUNDOWN_API_KEY: keys.readWrite };
  return installed.rundown(args, { ...variables, ...more });
}

const readRunOf = async (errors: string) =>
  read((await sharedProject()).api, `/runs/${/\/runs\/([0-9a-f]{16})\n/.exec(errors)?.[1] ?? 'none'}`);

describe('rundown run', () => {
  test('ends with 0 if each failure in all reports of a command is quarantined, and the run passes', async () => {
    const { command, id } = await makeCommand({ a: QUARANTINED, b: PASSED }, 'console.log("--help"); process.exit(1)');
    const args = [
      'run',
      '--report',
      `${id}-*.xml`,
      '--report',
      `./${id}-a.xml`,
      '--branch',
      'main',
      ...command,
      '--help',
    ];
    const { status, output, errors } = await rundown(args);
    expect({ status, output }).toEqual({ status: 0, output: '--help\n' });
    expect(errors).toContain(
      'The command ended with 1, and each of its failures is quarantined (1), so the exit code is 0',
    );
    expect(await readRunOf(errors)).toMatchObject({
      status: 'PASSED',
      completionState: 'COMPLETE',
      groups: [{ tests: { overall: 3, passes: 2, pending: 1, failures: 0 } }],
    });
  });

  test.each<[what: string, files: Readonly<Record<string, string>>, end: string, code: number, reason: string]>([
    [
      'a failure that is not quarantined',
      { a: FAILED },
      'process.exit(1)',
      1,
      'Not quarantined: 1 of 2 failures, such as cart.test.ts › sums',
    ],
    ['a cut report', { a: QUARANTINED.slice(0, -30) }, 'process.exit(1)', 1, 'The report is cut'],
    ['an empty report beside a good one', { a: QUARANTINED, b: '' }, 'process.exit(1)', 1, 'is empty'],
    [
      'an exit code that does not say that tests failed',
      { a: QUARANTINED },
      'process.exit(3)',
      3,
      'The exit code 3 does not say that tests failed',
    ],
    ['a signal', { a: QUARANTINED }, 'process.kill(process.pid, "SIGKILL")', 137, 'It was interrupted by SIGKILL'],
    ['no failed test', { a: PASSED }, 'process.exit(1)', 1, 'The reports have no failed test'],
  ])('keeps the exit code and fails the run after %s', async (_, files, end, code, reason) => {
    const { command, pattern } = await makeCommand(files, end);
    const { status, errors } = await rundown(['run', '--report', pattern, ...command]);
    expect({ status, errors }).toEqual({ status: code, errors: expect.stringContaining(reason) });
    expect(errors).toContain(`The exit code stays ${code}`);
    expect(await readRunOf(errors)).toMatchObject({ status: 'FAILED' });
  });

  test('keeps the exit code if a report is missing or older than the command, and uploads no old report', async () => {
    const { id, command, pattern } = await makeCommand({}, 'process.exit(1)');
    expect(await rundown(['run', '--report', pattern, ...command])).toMatchObject({
      status: 1,
      errors: `Rundown  The exit code stays 1. No report matches ${pattern}\n`,
    });
    await writeFile(join(installed.folder, `${id}-a.xml`), QUARANTINED);
    const { status, errors } = await rundown(['run', '--report', pattern, ...command]);
    expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining('is older than the command') });
    expect(errors).not.toContain('/runs/');
  });

  test('keeps the exit codes of two commands that may have written the same report', async () => {
    const inner = await makeCommand({ a: QUARANTINED }, 'process.exit(1)');
    const start = `const inner = spawnSync('node_modules/.bin/rundown', ${JSON.stringify(['run', '--report', inner.pattern, ...inner.command])});\nwriteFileSync('inner.txt', inner.status + inner.stderr.toString());`;
    const outer = await makeCommand({}, 'process.exit(1)', start);
    const { status, errors } = await rundown(['run', '--report', inner.pattern, ...outer.command]);
    expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining('Another `rundown run`') });
    const innerResult = await readFile(join(installed.folder, 'inner.txt'), 'utf8');
    expect(innerResult).toMatch(/^1[\s\S]*Another `rundown run`/);
  });

  test('keeps the exit code if the service cannot be used, also that of a command that passed, unless --strict is set', async () => {
    const failing = await makeCommand({ a: QUARANTINED }, 'process.exit(1)');
    const passing = await makeCommand({ a: PASSED }, '');
    const noKey = { RUNDOWN_API_KEY: 'wrong' };
    const told = 'The reports could not be uploaded';
    const failed = await rundown(['run', '--report', failing.pattern, ...failing.command], noKey);
    expect(failed).toMatchObject({ status: 1, errors: expect.stringContaining(told) });
    const green = ['--report', passing.pattern, ...passing.command];
    expect(await rundown(['run', ...green], noKey)).toMatchObject({ status: 0, errors: expect.stringContaining(told) });
    expect(await rundown(['run', '--strict', ...green], noKey)).toMatchObject({ status: 1 });
    const proxy = await FaultyProxy.start((await sharedProject()).origin, (call) =>
      call.answer(200, {}, '{"data":{}}'),
    );
    const foreign = await makeCommand({ a: QUARANTINED }, 'process.exit(1)');
    const args = ['run', '--report', foreign.pattern, ...foreign.command];
    expect(await rundown(args, { RUNDOWN_URL: proxy.origin })).toMatchObject({
      status: 1,
      errors: expect.stringContaining('The response is not from Rundown'),
    });
  });

  test.each([
    [['run', '--report', 'a.xml'], 'The command is missing'],
    [['run', '--', 'node'], 'The report is missing'],
    [['run', '--report', 'a.xml', '--exit-code', 'x', '--', 'node'], 'An exit code is a number from 1 to 255'],
  ])('starts nothing if its own command line is wrong: %j', async (args, problem) => {
    expect(await rundown(args)).toMatchObject({ status: 2, errors: expect.stringContaining(problem) });
  });
});

describe('rundown gate', () => {
  const record = async (query: string, report = PASSED) => {
    const answer = await imported(await sharedProject(), report, `branch=gate&${query}`);
    return answer.runId;
  };

  test('passes for a run with the tests of its base, and fails with the reasons and both addresses', async () => {
    const base = await record('ciBuildId=gate-base');
    await record('ciBuildId=gate-good');
    const good = await rundown(['gate', 'gate-good', '--base', base]);
    expect(good).toMatchObject({ status: 0, output: expect.stringMatching(/^The gate is open\n {2}http\S+\n/) });
    const runId = await record('ciBuildId=gate-bad', junit({ 'other.test.ts': { adds: 'failed' } }));
    const bad = await rundown(['gate', 'gate-bad', '--base', base]);
    expect(bad.status).toBe(1);
    expect(bad.output).toContain(
      '1 new failure\n    other.test.ts › adds\n  1 missing test\n    cart.test.ts (all 1)\n',
    );
    expect(bad.output).toContain(`/runs/${runId}\n  compared with http`);
    const one = await rundown(['gate', 'gate-bad', '--base', base, '--rule', 'missing-tests', '--json']);
    expect(one.status).toBe(1);
    expect(JSON.parse(one.output)).toMatchObject({ state: 'failed', reasons: [{ rule: 'noMissingTests' }] });
  });

  test('fails for a run that does not exist or has not ended in time, and for a service that refuses the request', async () => {
    await record('ciBuildId=gate-open&complete=false');
    expect(await rundown(['gate', 'gate-open', '--wait', '0'])).toMatchObject({
      status: 1,
      output: expect.stringContaining('the run has not ended in time'),
    });
    expect(await rundown(['gate', 'gate-unknown', '--wait', '0'])).toMatchObject({ status: 1, output: '' });
    expect(await rundown(['gate', 'gate-open'], { RUNDOWN_API_KEY: 'wrong' })).toMatchObject({ status: 1, output: '' });
    expect(await rundown(['gate', 'gate-open', '--rule', 'all'])).toMatchObject({ status: 2 });
  });
});

describe('rundown last-failed', () => {
  /** What `rundown run` tells the commands in it. */
  const OF_RUN = { RUNDOWN_LEG: 'only', RUNDOWN_COMMAND: 'tests' };
  const upload = async (build: string, specs: Parameters<typeof junit>[0], group?: string) => {
    const query = new URLSearchParams({ ciBuildId: build, try: '1', leg: findLeg(OF_RUN, group, ['tests']) });
    if (group !== undefined) query.set('group', group);
    return imported(await sharedProject(), junit(specs), String(query));
  };
  const record = async (build: string, specs: Parameters<typeof junit>[0]) => {
    for (const spec of Object.keys(specs)) await writeFile(join(installed.folder, spec), '');
    await upload(build, specs);
  };
  const ask = (build: string, format: string, ...more: readonly string[]) =>
    rundown(['last-failed', '--ci-build-id', build, '--try', '2', '--format', format, ...more], OF_RUN);
  const PRINT = ['--', 'node', '-e', 'console.log(JSON.stringify(process.argv.slice(1))); process.exitCode = 3'];
  const NAME = 'test_pays[a b::ä $HOME *]';

  test('prints what failed as the runner takes it, also with special characters, and starts a command with it', async () => {
    for (const build of ['lf-pytest', 'lf-vitest', 'lf-jest', 'lf-command'])
      await record(build, { 'test_cart.py': { [NAME]: 'failed', test_sums: 'passed' } });
    expect(await ask('lf-pytest', 'pytest')).toMatchObject({ status: 0, output: `test_cart.py::${NAME}\n` });
    expect(await ask('lf-vitest', 'vitest')).toMatchObject({ status: 0, output: 'test_cart.py\n' });
    const jest = await ask('lf-jest', 'jest');
    expect(jest.output).toMatch(/^--runTestsByPath\n\/\S+\/test_cart\.py\n$/);
    const command = await ask('lf-command', 'pytest', ...PRINT);
    expect(command).toMatchObject({ status: 3, output: `${JSON.stringify([`test_cart.py::${NAME}`])}\n` });
    expect(command.errors).toContain('only what failed in the try before this one runs again (1 tests)');
  });

  test.each(['--shard=1/2', 'sh -c "vitest run --shard 1/2"'])(
    'runs all tests of a shard, because the runner would divide the failed ones among shards that do not run again: %s',
    async (option) => {
      const build = `lf-${option}`;
      await record(build, { 'a.test.ts': { adds: 'failed' }, 'b.test.ts': { sums: 'failed' } });
      const { status, output, errors } = await ask(build, 'vitest', ...PRINT, 'x', option);
      expect({ status, output }).toEqual({ status: 3, output: `${JSON.stringify(['x', option])}\n` });
      expect(errors).toContain('all tests run. The command divides its tests by --shard');
    },
  );

  test('runs everything if a failed spec file is not where the runner would look for it', async () => {
    await record('lf-here', { 'here.test.ts': { sums: 'failed' } });
    await upload('lf-here', { 'gone.test.ts': { sums: 'failed' } });
    const { output, errors } = await ask('lf-here', 'vitest', ...PRINT);
    expect(output).toBe('[]\n');
    expect(errors).toContain('all tests run. gone.test.ts, which failed in the try before this one, is not in /');
  });

  test('repeats the tests of its own group, and runs everything if this group reported nothing', async () => {
    await record('lf-group', { 'cart.test.ts': { sums: 'failed' } });
    await writeFile(join(installed.folder, 'unit.test.ts'), '');
    await upload('lf-group', { 'unit.test.ts': { sums: 'failed' } }, 'unit');
    const { output } = await ask('lf-group', 'vitest', '--group', 'unit', ...PRINT);
    expect(output).toBe('["unit.test.ts"]\n');
    const { errors } = await ask('lf-group', 'vitest', '--group', 'e2e', ...PRINT);
    expect(errors).toContain('all tests run. Nothing proves that this command reported in the try before this one');
  });

  test('starts no command if no test failed', async () => {
    await record('lf-green', { 'test_cart.py': { test_sums: 'passed' } });
    const { status, output, errors } = await ask('lf-green', 'pytest', ...PRINT);
    expect({ status, output }).toEqual({ status: 0, output: '' });
    expect(errors).toContain('nothing to run again');
  });

  test('runs everything for a name that the runner does not know, a first try, an unknown build, and a service that refuses the request', async () => {
    await record('lf-odd', { 'cart.test.ts': { sums: 'failed' } });
    const everything = { status: 3, output: '[]\n', errors: expect.stringContaining('all tests run. ') };
    expect(await ask('lf-odd', 'pytest', ...PRINT)).toMatchObject(everything);
    expect(await ask('lf-unknown', 'pytest', ...PRINT)).toMatchObject(everything);
    const first = ['last-failed', '--ci-build-id', 'lf-odd', '--format', 'files', ...PRINT];
    expect(await rundown(first, OF_RUN)).toMatchObject(everything);
    const refused = ['last-failed', '--ci-build-id', 'lf-odd', '--try', '2', '--format', 'files', ...PRINT];
    expect(await rundown(refused, { ...OF_RUN, RUNDOWN_API_KEY: 'wrong' })).toMatchObject(everything);
    const noLeg = ['last-failed', '--ci-build-id', 'lf-odd', '--try', '2', '--format', 'files', ...PRINT];
    expect(await rundown(noLeg)).toMatchObject(everything);
    expect(await ask('lf-odd', 'toast')).toMatchObject({ status: 2 });
  });
});
