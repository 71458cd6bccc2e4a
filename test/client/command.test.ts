import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReceivedImport } from '#infra/client/answers.ts';
import { REPORT_TOOLS } from '#shared/pages/imports/report-tools.tsx';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { junit, manyTests } from '#test/imports/reports.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { type Installed, installClient } from './installed.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await installClient();
});
afterAll(() => installed.remove());

/** The object store checks the expiry of links against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

async function stage() {
  const tenant = await service();
  vi.useRealTimers();
  const variables = {
    RUNDOWN_URL: tenant.origin,
    RUNDOWN_PROJECT: tenant.projectId,
    RUNDOWN_API_KEY: tenant.keys.readWrite,
  };
  const rundown = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    installed.rundown(args, { ...variables, ...more });
  return { tenant, rundown };
}

const reports = async (name: string, files: Readonly<Record<string, string>>) => {
  const folder = join(installed.folder, name);
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  return `${name}/*.xml`;
};

const TWO = {
  'a.xml': junit({ 'a.test.ts': { sums: 'passed' } }),
  'b.xml': junit({ 'b.test.ts': { adds: 'failed' } }),
};

describe('rundown upload', () => {
  test('imports all files that match a glob into one run, ends the run after the last file, and prints the address of the run', async () => {
    const { tenant, rundown } = await stage();
    const pattern = await reports('two', TWO);
    const { status, output, errors } = await rundown(['upload', pattern, '--tag', 'nightly', '--branch', 'main']);
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    expect(output).not.toContain('\u001b');
    expect(output).toContain('✓ a.xml  1 test, 1 passed\n✗ b.xml  1 test, 1 failed\n');
    const runId = /\/runs\/([0-9a-f]{16})\n$/.exec(output)?.[1] ?? '';
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      status: 'FAILED',
      tags: ['nightly'],
      meta: { commit: { branch: 'main' } },
      groups: [{ tests: { overall: 2 } }],
    });
  });

  test('accepts files whose names look like globs, and files whose names begin with a dot', async () => {
    const { rundown } = await stage();
    const odd = { 'a[1].xml': TWO['a.xml'], '.b.xml': TWO['b.xml'], 'c*.xml': junit({ 'c.test.ts': { c: 'passed' } }) };
    await reports('odd', odd);
    const { status, output, errors } = await rundown(['upload', 'odd/a[1].xml', 'odd/c*.xml', 'odd/.b*']);
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    for (const file of Object.keys(odd)) expect(output).toContain(`${file}  1 test,`);
  });

  test('sends reports from the default places of test tools if no file is given, a folder of Allure as one archive, and names the reports that it leaves', async () => {
    const { tenant, rundown } = await stage();
    const result = { uuid: '0b7a684c-044e-4f93-bd69-990fd9c53eca', name: 'adds', status: 'passed', labels: [] };
    await reports('default/allure-results', {
      [`${result.uuid}-result.json`]: JSON.stringify({ ...result, fullName: 'shop:test/cart.test.mjs#cart adds' }),
    });
    // The page of an empty project suggests these names.
    const names = REPORT_TOOLS.map(({ file }) => file).filter((file) => /^[^*/]+\.\w+$/.test(file));
    await reports('default', { 'junit.xml': TWO['b.xml'] });
    await reports('.', Object.fromEntries(names.map((name) => [name, ''])));
    const { status, output, errors } = await rundown(['upload']);
    for (const name of names) await rm(join(installed.folder, name));
    expect(status).toBe(0);
    expect(errors).toContain('Found Allure results: default/allure-results\n');
    expect(errors).toContain(
      'Left JUnit XML files, which may be about the same tests: default/junit.xml, report.xml. To send them, name them\n',
    );
    for (const name of names) expect(errors).toContain(name);
    const runId = /\/runs\/([0-9a-f]{16})\n$/.exec(output)?.[1] ?? '';
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ groups: [{ tests: { overall: 1, passes: 1 } }] });
  });

  test('sends the files of classes in a folder as one archive, because the tries of a test may be in several of them', async () => {
    const { tenant, rundown } = await stage();
    const file = (content: string) =>
      `<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd" name="shop.CartTest"><testcase name="adds" classname="shop.CartTest" time="0.1">${content}</testcase></testsuite>`;
    // Surefire writes the tests of a class with a nested class into the file of the nested one, but their next tries not.
    const files = { 'TEST-shop.CartTest$Empty.xml': file('<failure>no</failure>'), 'TEST-shop.CartTest.xml': file('') };
    await reports('api/surefire-reports', files);
    await reports('web/surefire-reports', { 'TEST-shop.CartTest.xml': file('') });
    const pattern = join(installed.folder, '{api,web}/surefire-reports/TEST-*.xml');
    const { imports, runId } = JSON.parse((await rundown(['upload', pattern, '--json'])).output);
    expect(imports).toHaveLength(2);
    const { groups, status } = await read(tenant.api, `/runs/${runId}`);
    expect({ status, tests: groups[0].tests }).toMatchObject({
      status: 'PASSED',
      tests: { overall: 2, passes: 2, failures: 0, flaky: 1 },
    });
  });

  test('sends trx files together, and the files of an Allure folder, because each may have tries of the same tests', async () => {
    const { tenant, rundown } = await stage();
    const trx = (outcome: string) =>
      `<TestRun><Results><UnitTestResult testId="1" testName="Adds" outcome="${outcome}"/></Results><TestDefinitions><UnitTest id="1"><TestMethod className="Shop.CartTests" codeBase="Shop.dll"/></UnitTest></TestDefinitions><ResultSummary outcome="Completed"/></TestRun>`;
    await reports('shop/TestResults/Retries/x/1', { 'shop.trx': trx('Failed') });
    await reports('shop/TestResults', { 'shop.trx': trx('Passed') });
    const result = (uuid: string, status: string, start: number) =>
      JSON.stringify({ uuid, historyId: 'h', name: 'adds', fullName: 'shop:cart.mjs#adds', status, start, labels: [] });
    const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
    const hook = { children: [first, second], afters: [{ name: 'stops', status: 'broken' }] };
    await reports('shop/allure-results', {
      [`${first}-result.json`]: result(first, 'failed', 1),
      [`${second}-result.json`]: result(second, 'passed', 2),
      '3-container.json': JSON.stringify(hook),
      'categories.json': '[]',
    });
    const patterns = ['shop/**/*.trx', 'shop/allure-results/*-result.json', 'shop/allure-results/categories.json'];
    const { output, errors } = await rundown(['upload', ...patterns, './shop/TestResults/shop.trx', '--json']);
    const { imports, runId } = JSON.parse(output);
    expect(imports.map(({ files }: ReceivedImport) => files.flatMap(({ runErrors }) => runErrors))).toEqual([
      [],
      [expect.stringContaining('stops')],
    ]);
    expect(errors).toContain('The reports have several formats: ');
    const { groups } = await read(tenant.api, `/runs/${runId}`);
    expect(groups[0].tests).toMatchObject({ overall: 2, passes: 2, failures: 0, flaky: 2 });
  });

  test('sends a file once, even if it is named twice or lies in a folder that is sent as well', async () => {
    const { tenant, rundown } = await stage();
    await reports('once/a', { 'a.xml': TWO['a.xml'] });
    await reports('once/b', { 'b.xml': TWO['b.xml'] });
    const operands = ['once/a', 'once/a/', 'once/a/a.xml', 'once/b/b.xml', './once/b/*.xml'];
    const { imports, runId } = JSON.parse((await rundown(['upload', ...operands, '--json'])).output);
    expect(imports).toHaveLength(2);
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ groups: [{ tests: { overall: 2 } }] });
  });

  test('records the other files if one is refused, reports the reason, and ends the run as failed', async () => {
    const { tenant, rundown } = await stage();
    const files = { 'a.xml': TWO['a.xml'], 'c.xml': junit({ 'c.test.ts': { c: 'passed' } }) };
    for (const refused of ['b.xml', 'z.xml']) {
      const pattern = await reports(`with-${refused}`, { ...files, [refused]: '' });
      const summary = join(installed.folder, `${refused}.md`);
      const lenient = await rundown(['upload', pattern, '--ci-build-id', refused, '--summary', summary]);
      expect(await readFile(summary, 'utf8')).toContain(`- Refused: \`The file "${refused}" is empty.`);
      expect(lenient).toMatchObject({ status: 0, errors: expect.stringContaining(`The file "${refused}" is empty.`) });
      const strict = await rundown(['upload', pattern, '--ci-build-id', refused, '--strict', '--json'], {
        GITHUB_ACTIONS: 'true',
      });
      expect(strict.status).toBe(1);
      expect(strict.errors).toContain(
        `::error title=Results of this job are missing in Rundown::The file "${refused}" is empty.`,
      );
      const { runId, refused: said } = JSON.parse(strict.output);
      expect(said).toEqual([{ error: expect.stringContaining(refused), next: expect.any(String) }]);
      expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({
        completionState: 'COMPLETE',
        status: 'FAILED',
        groups: [{ tests: { overall: 2, passes: 2 } }],
      });
    }
  });

  test('blames a firewall that refuses a report, and not the key', async () => {
    const { tenant, rundown } = await stage();
    const pattern = await reports('refused', TWO);
    const proxy = await FaultyProxy.start(tenant.origin, (call) => call.answer(403, {}, '<html>Forbidden</html>'));
    const { status, errors } = await rundown(['upload', pattern, '--strict'], {
      RUNDOWN_URL: proxy.origin,
    });
    expect(status).toBe(1);
    expect(errors).toContain('The answer 403 is not from Rundown: a firewall or a proxy on the way');
    expect(errors).not.toContain('Use an API key');
  });

  test('prints no run id or address after a dry run, because a dry run creates no run', async () => {
    const { rundown } = await stage();
    const { output } = await rundown(['upload', await reports('dry', TWO), '--dry-run', '--json']);
    expect(JSON.parse(output)).toMatchObject({ status: 'OK', runId: null, runUrl: null });
  });

  test('suggests splitting a report that is too large for a dry run, or leaving out --dry-run, but not compressing the report', async () => {
    const { rundown } = await stage();
    // The command compresses all files, and the limit counts decompressed bytes.
    const large = `${TWO['a.xml']}${' '.repeat(5_000_000)}`;
    const { status, errors } = await rundown(['upload', await reports('large', { 'a.xml': large }), '--dry-run']);
    expect({ status, errors }).toEqual({ status: 0, errors: expect.stringContaining('too large for a dry run') });
    expect(errors).toContain('Split the report, or leave out --dry-run if it is set.');
    expect(errors).not.toContain('compress it');
  });

  test('reads the build, the branch, the commit and the pull request from the variables and the event file of GitHub Actions', async () => {
    const { tenant, rundown } = await stage();
    const pattern = await reports('ci', TWO);
    const event = join(installed.folder, 'event.json');
    await writeFile(event, JSON.stringify({ pull_request: { head: { sha: 'abc123' } } }));
    const { output } = await rundown(['upload', pattern, '--json'], {
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_RUN_ID: '42',
      GITHUB_RUN_ATTEMPT: '2',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_HEAD_REF: 'cart',
      GITHUB_SHA: 'merge',
      GITHUB_EVENT_PATH: event,
    });
    const { runId, tests } = JSON.parse(output);
    expect(tests).toEqual({ overall: 2, passes: 1, failures: 1, flaky: 0, skipped: 0, pending: 0 });
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({
      meta: { ciBuildId: 'acme/shop-42-2', commit: { branch: 'cart', sha: 'abc123' } },
    });
    const { body } = await tenant.api.get(`/projects/${tenant.projectId}/runs?pr_id=7`);
    expect(body.data).toHaveLength(1);
  });

  test('uploads a file above the size limit of requests, and waits until it is recorded', async () => {
    const { tenant, rundown } = await stage();
    const noise = Array.from({ length: 270_000 }, () => crypto.randomUUID()).join('');
    const report = manyTests({ specs: 3, tests: 10 }).replace('at cart', `${noise} at cart`);
    const pattern = await reports('above-limit', { 'large.xml': report });
    const { output, errors } = await rundown(['upload', pattern, '--json', '--ci-build-id', 'b1', '--strict']);
    expect(errors).toBe('');
    const { runId } = JSON.parse(output);
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ groups: [{ tests: { overall: 30 } }] });
  });

  test('keeps a run open with --keep-open until `rundown complete` ends it, and a refused file still makes the run fail', async () => {
    const { tenant, rundown } = await stage();
    const pattern = await reports('open', { 'c.xml': junit({ 'c.test.ts': { c: 'passed' } }), 'z.xml': '' });
    const build = ['--ci-build-id', 'b1', '--json'];
    const { runId } = JSON.parse((await rundown(['upload', pattern, '--keep-open', ...build])).output);
    expect((await read(tenant.api, `/runs/${runId}`)).completionState).toBe('IN_PROGRESS');
    expect((await rundown(['complete', ...build])).status).toBe(0);
    const ended = await read(tenant.api, `/runs/${runId}`);
    expect(ended).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
  });

  test.each([
    ['a pattern without files', ['upload', 'nothing/*.xml'], {}, 'No file matches nothing/*.xml. Check'],
    [
      'a wrong key',
      ['upload', 'package.json'],
      { RUNDOWN_API_KEY: 'wrong' },
      'Check the API key (RUNDOWN_DSN or RUNDOWN_API_KEY)',
    ],
    ['a file that is not a report', ['upload', 'package.json'], {}, 'Accepted formats: JUnit XML'],
    ['an unknown project', ['upload', 'package.json', '--project', 'zzzzzz'], {}, ''],
    [
      'an unreachable service',
      ['upload', 'package.json'],
      { RUNDOWN_URL: 'http://127.0.0.1:59999' },
      'The request to 127.0.0.1:59999 failed: ECONNREFUSED',
    ],
  ])('explains what to do about %s, and fails the job only with --strict', async (_, args, variables, text) => {
    const { rundown } = await stage();
    const both = [args, [...args, '--strict', '--json']].map((given) => rundown(given, variables));
    const [lenient, strict] = await Promise.all(both);
    expect([lenient?.status, strict?.status]).toEqual([0, 1]);
    expect(lenient?.errors).toMatch(
      /^Error: .+\. .+\.\nResults of this job are missing in Rundown\. The job continues, because --strict is not set\.\n$/,
    );
    expect(lenient?.errors).toContain(text);
    expect(JSON.parse(strict?.output ?? '')).toEqual({
      status: 'FAILED',
      error: expect.any(String),
      next: expect.any(String),
    });
  });

  test('writes a Markdown summary to the file of --summary, and the outputs of a CI step to the file of --outputs', async () => {
    const { rundown } = await stage();
    const pattern = await reports('summary', TWO);
    const summary = join(installed.folder, 'summary.md');
    const outputs = join(installed.folder, 'outputs');
    await rundown(['upload', pattern, '--summary', summary, '--outputs', outputs]);
    expect(await readFile(summary, 'utf8')).toContain('| b.xml | 1 | 0 | 1 | 0 | 0 | 0 |\n| **All** | 2 | 1 | 1 |');
    expect(await readFile(summary, 'utf8')).toMatch(
      /#### Failed tests \(1\)\n\n- `adds` in `b\.test\.ts` \(\[open\]\(http\S+\/i\/\w+\/test\/[\w-]+\)\): `.*expected 2, received 3`\n/,
    );
    expect(await readFile(outputs, 'utf8')).toMatch(/^run-url=http.*\/runs\/\w{16}\ntests=2\nfailed=1\nflaky=0\n$/);
  });
});

describe('RUNDOWN_DSN', () => {
  const dsnOf = ({ origin, projectId, keys }: TestService & Tenant, key = keys.readWrite): string =>
    `${origin.replace('//', `//${key}@`)}/${projectId}`;

  /** Runs `rundown` with only the given variables, without those that `stage()` sets. */
  const bare = (args: readonly string[], variables: Readonly<Record<string, string>>) =>
    installed.rundown(args, variables);

  test('is the only setting that `rundown upload` and `rundown why` need', async () => {
    const { tenant } = await stage();
    const variables = { RUNDOWN_DSN: dsnOf(tenant) };
    const uploaded = await bare(['upload', await reports('dsn', TWO), '--json'], variables);
    expect(uploaded).toMatchObject({ status: 0, errors: '' });
    const { runId } = JSON.parse(uploaded.output);
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ projectId: tenant.projectId });
    expect((await bare(['why', runId], variables)).output).toContain('expected 2, received 3');
  });

  test('is overridden by individual options and variables', async () => {
    const { tenant } = await stage();
    const variables = { RUNDOWN_DSN: dsnOf({ ...tenant, projectId: 'zzzzzz' }, 'wrong') };
    const pattern = await reports('dsn-and-options', TWO);
    const single = { RUNDOWN_API_KEY: tenant.keys.readWrite };
    const right = await bare(['upload', pattern, '--project', tenant.projectId, '--strict'], {
      ...variables,
      ...single,
    });
    expect(right).toMatchObject({ status: 0, errors: '' });
    const elsewhere = await bare(['upload', pattern], { ...variables, RUNDOWN_URL: 'http://127.0.0.1:59999' });
    expect(elsewhere.errors).toContain('The request to 127.0.0.1:59999 failed: ECONNREFUSED');
  });

  test.each([
    ['is malformed', { RUNDOWN_DSN: 'https://s3cret-key:@/shop' }, 'RUNDOWN_DSN does not have the form'],
    ['names no project', { RUNDOWN_DSN: 'https://s3cret-key@127.0.0.1' }, 'RUNDOWN_DSN has no project id'],
    ['names no reachable service', { RUNDOWN_DSN: 'http://s3cret-key@127.0.0.1:59999/shop' }, 'ECONNREFUSED'],
    ['is set as RUNDOWN_URL', { RUNDOWN_URL: 'https://s3cret-key@127.0.0.1/shop' }, '(RUNDOWN_URL) contains a key'],
    ['is set as RUNDOWN_URL without https', { RUNDOWN_URL: 's3cret-key@127.0.0.1/shop' }, 'is not an address'],
  ])('causes an error that never shows the key if the DSN %s', async (_, variables, problem) => {
    const summary = join(installed.folder, 'dsn.md');
    const rest = { RUNDOWN_PROJECT: 'shop', RUNDOWN_API_KEY: 's3cret-key' };
    const given = 'RUNDOWN_URL' in variables ? { ...rest, ...variables } : variables;
    const args = ['upload', await reports('dsn-refused', TWO), '--summary', summary, '--json'];
    const { output, errors } = await bare(args, { ...given, GITHUB_ACTIONS: 'true' });
    expect(errors).toContain(problem);
    expect(output + errors + (await readFile(summary, 'utf8'))).not.toContain('s3cret-key');
  });
});

test('A GitHub Actions job whose results could not be uploaded says so in an annotation and in its summary', async () => {
  const { rundown } = await stage();
  const summary = join(installed.folder, 'loss.md');
  const { status, errors } = await rundown(['upload', await reports('loss', TWO), '--summary', summary], {
    GITHUB_ACTIONS: 'true',
    RUNDOWN_API_KEY: '',
  });
  expect(status).toBe(0);
  expect(errors).toContain(
    '::error title=Results of this job are missing in Rundown::The option --key is missing. Set it',
  );
  expect(await readFile(summary, 'utf8')).toContain(
    'Results of this job are missing in Rundown: `The option --key is missing`',
  );
});

describe('rundown why and rundown open', () => {
  test('`rundown why` and `rundown open` accept the address, the id or the build id of a run', async () => {
    const { rundown } = await stage();
    const pattern = await reports('why', TWO);
    const { runId, runUrl } = JSON.parse((await rundown(['upload', pattern, '--ci-build-id', 'b1', '--json'])).output);
    for (const run of [runUrl, runId, 'b1']) {
      const { status, output } = await rundown(['why', run]);
      expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('expected 2, received 3') });
      expect(output).not.toContain('\u001b');
      expect(JSON.parse((await rundown(['open', run, '--json'])).output)).toEqual({ runUrl });
    }
    const { data } = JSON.parse((await rundown(['why', runId, '--json'])).output);
    expect(data.runId).toBe(runId);
  });

  test('`rundown why` and `rundown open` fail for an unknown run, and suggest checking the ids', async () => {
    const { rundown } = await stage();
    for (const command of ['why', 'open']) {
      const { status, errors } = await rundown([command, '0123456789abcdef']);
      expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining('Check the ids') });
    }
  });
});

test('With --json, `rundown` also reports an invalid command line as one JSON document, and exits with status 2', async () => {
  const { rundown } = await stage();
  const next = 'Run `rundown --help` for the commands and their options';
  for (const [args, variables, error] of [
    [['uplod', '--json'], {}, 'Unknown command "uplod"'],
    [['uplod'], { RUNDOWN_JSON: 'true' }, 'Unknown command "uplod"'],
    [['upload', '--json', '--colour'], {}, expect.stringContaining("Unknown option '--colour'")],
  ] as const) {
    const { status, output, errors } = await rundown(args, variables);
    expect({ status, answer: JSON.parse(output) }).toEqual({ status: 2, answer: { status: 'FAILED', error, next } });
    expect(errors).toContain('rundown --help');
  }
});

test('`rundown` exits with status 2 for an invalid command line, and with status 0 for --help', async () => {
  const { rundown } = await stage();
  for (const args of [['uplod'], ['upload', '--colour'], []]) expect((await rundown(args)).status).toBe(2);
  expect((await rundown(['--version'])).output).toBe('0.2.0\n');
  const { status, output } = await rundown(['--help']);
  expect(status).toBe(0);
  for (const command of ['upload', 'complete', 'why', 'open']) expect(output).toContain(`rundown ${command}`);
});
