/** Tests that `rundown upload --spool` trusts no file that somebody may have planted, and loses no result of others. */
import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { attack } from '#test/harness/attacks.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { PROJECT, runIn, temporaryFolder } from '#test/infra/local/child.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { execute } from './installed.ts';

let clients: string;
let current: string;
beforeAll(async () => {
  clients = await mkdtemp(join(tmpdir(), 'rundown-client-'));
  current = await findClient();
});
afterAll(() => rm(clients, { recursive: true, force: true }));

/** Unpacks the client of release 0.1.0. */
async function oldClient(): Promise<string> {
  const tarball = join(PROJECT, 'infra/client/released/rundown-cli-0.1.0.tgz');
  const folder = join(clients, '0.1.0');
  await mkdir(folder);
  await execute('tar', ['xzf', tarball, '-C', folder], { cwd: folder, env: { PATH: process.env['PATH'] ?? '' } });
  return join(folder, 'package');
}

const SUITE = `import test from 'node:test';
test('adds a mug', () => {});
test('prints', () => {});`;

/** A checkout whose suite was recorded while the service refused the key, so that its results wait in the spool. */
async function stage() {
  const tenant = await service();
  vi.useRealTimers();
  const root = await temporaryFolder();
  const folder = join(root, 'checkout');
  await mkdir(folder);
  await writeFile(join(folder, 'cart.test.mjs'), SUITE);
  const refusing = await FaultyProxy.start(tenant.origin, (call) => call.answer(401));
  const spool = join(root, 'spool');
  const envOf = (origin: string) => ({
    GITHUB_ACTIONS: '',
    RUNDOWN_DSN: `${origin.replace('://', `://${tenant.keys.readWrite}@`)}/${tenant.projectId}`,
    RUNDOWN_SPOOL: spool,
    RUNDOWN_WAIT_AT_END: '3600',
  });
  const refused = envOf(refusing.origin);
  /** Records the suite with a client. Returns the path of the spool that waits. */
  const record = async (build: string, client = current) => {
    const known = await readdir(spool).catch((): string[] => []);
    const reporter = `--test-reporter=${join(client, 'node-test.js')}`;
    const args = ['--test', reporter, '--test-reporter-destination=stdout', 'cart.test.mjs'];
    const { output } = await runIn(folder, args, { ...refused, RUNDOWN_CI_BUILD_ID: build });
    expect(output).toContain('Results are waiting in');
    const [name = ''] = (await readdir(spool)).filter((one) => !known.includes(one));
    return join(spool, name);
  };
  const upload = (env: Readonly<Record<string, string>> = {}, client = current) =>
    runIn(folder, [join(client, 'rundown.js'), 'upload', '--spool', '--strict'], { ...envOf(tenant.origin), ...env });
  /** Reads the state of a run, its tests and the names of its files. */
  const recorded = async (build: string) => {
    const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${build}`);
    const { specs, status } = await read(tenant.api, `/runs/${runId}`);
    const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
    const tests = results.tests.map(({ title, state }: { title: string[]; state: string }) => `${title}: ${state}`);
    const files = results.attachments.map(({ name }: { name: string }) => name);
    return { status, tests: tests.sort(), files: files.sort() };
  };
  /** Records the suite while the service works. Returns the output. */
  const recordNow = async (build: string, more: Readonly<Record<string, string>> = {}) => {
    const reporter = `--test-reporter=${join(current, 'node-test.js')}`;
    const args = ['--test', reporter, '--test-reporter-destination=stdout', 'cart.test.mjs'];
    return (await runIn(folder, args, { ...envOf(tenant.origin), RUNDOWN_CI_BUILD_ID: build, ...more })).output;
  };
  return { tenant, root, folder, spool, refused, record, recordNow, upload, recorded };
}

const TESTS = ['adds a mug: passed', 'prints: passed'];
const WHOLE = { status: 'PASSED', tests: TESTS, files: [] };

const Writer = z.object({ writer: z.object({ id: z.string() }) });

/** Adds lines with the seal that the reporter would give them, which everybody can compute. */
async function plant(path: string, lines: readonly object[]): Promise<void> {
  const [first = ''] = (await readFile(path, 'utf8')).split('\n', 1);
  const { writer } = Writer.parse(JSON.parse(first));
  for (const line of lines) {
    const json = JSON.stringify(line);
    const seal = createHash('sha256').update(`${writer.id}\n${json}`).digest('hex').slice(0, 16);
    await appendFile(path, `${JSON.stringify({ ...line, seal })}\n`);
  }
}

const lineOf = (name: string, path: string) => ({
  file: { type: 'attachment', name, contentType: 'text/plain', group: 'default', spec: 'cart.test.mjs', path },
});

/** Writes secrets outside of the checkout and one file inside. Returns lines that name them in several ways. */
async function plantFiles({ root, folder }: { readonly root: string; readonly folder: string }) {
  const secret = join(root, 'secrets/id_rsa');
  await mkdir(dirname(secret));
  await writeFile(secret, 'secret');
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, '.git/config'), 'token');
  await writeFile(join(folder, 'prices.csv'), 'mug;12');
  await symlink(secret, join(folder, 'link.txt'));
  await symlink(dirname(secret), join(folder, 'linked'));
  return [
    lineOf('inside', join(folder, 'prices.csv')),
    lineOf('absolute', secret),
    lineOf('above', `${folder}/../secrets/id_rsa`),
    lineOf('relative', relative(folder, secret)),
    lineOf('link', join(folder, 'link.txt')),
    lineOf('linked folder', join(folder, 'linked/id_rsa')),
    lineOf('git', join(folder, '.git/config')),
    lineOf('folder', folder),
    lineOf('missing', join(folder, 'missing.txt')),
  ];
}

const LEFT_OUT = ['absolute', 'above', 'relative', 'link', 'linked folder', 'git', 'folder', 'missing'];

test('A planted spool uploads no file from outside of the working folder, however it names the file, and none of Git', async () => {
  const staged = await stage();
  const path = await staged.record('planted');
  await plant(path, await plantFiles(staged));
  const { output } = await staged.upload();
  attack('planted spools', LEFT_OUT.length);
  for (const name of LEFT_OUT) expect(output).toContain(`${name} of cart.test.mjs was left out, because its file `);
  expect(output).toContain(`is not below ${staged.folder}. Run the command in a folder that contains it`);
  expect(await staged.recorded('planted')).toEqual({ ...WHOLE, files: ['inside'] });
  // Who knows the files can still send them.
  expect(await readdir(staged.spool)).toHaveLength(1);
});

test('Results that wait in a spool of release 0.1.0 are sent, with files of the working folder only, and release 0.1.0 sends those of this client', async () => {
  const staged = await stage();
  const old = await oldClient();
  const path = await staged.record('old', old);
  for (const line of await plantFiles(staged)) await appendFile(path, `${JSON.stringify(line)}\n`);
  expect(await staged.upload()).toMatchObject({ status: 0 });
  expect(await staged.recorded('old')).toEqual({ ...WHOLE, files: ['inside'] });
  await rm(path);
  await staged.record('new');
  expect(await staged.upload({}, old)).toMatchObject({ status: 0 });
  expect(await staged.recorded('new')).toEqual(WHOLE);
  expect(await readdir(staged.spool)).toEqual([]);
});

test('Lines of a spool that are damaged or belong to another spool are not recorded, and the run fails', async () => {
  const { record, upload, recorded } = await stage();
  const [path, other] = [await record('damaged'), await record('other')];
  const [writer, ...lines] = (await readFile(path, 'utf8')).split('\n');
  const foreign = (await readFile(other, 'utf8')).split('\n').filter((line) => line.startsWith('{"test"'));
  const damaged = lines.map((line) => line.replaceAll('prints', 'writes'));
  await writeFile(path, [writer, ...foreign.slice(0, 1), ...damaged].join('\n'));
  await rm(other);
  const { output } = await upload();
  expect(output).toContain('Results are missing, because 2 lines of the file in which they waited were damaged');
  expect(await recorded('damaged')).toEqual({ status: 'FAILED', tests: ['adds a mug: passed'], files: [] });
});

test('Results are sent even if the last line of their spool was cut off and an earlier upload has written below it', async () => {
  const { refused, record, upload, recorded, spool } = await stage();
  const path = await record('cut');
  await appendFile(path, '{"sent":');
  const before = await readFile(path, 'utf8');
  expect(await upload(refused)).toMatchObject({ status: 1 });
  const after = await readFile(path, 'utf8');
  expect(after).toContain(`${before}\n`);
  // A spool must not grow by its content whenever an upload fails.
  expect(after.slice(before.length)).toMatch(/^\n\{"end":[^\n]*\n$/);
  expect(await upload()).toMatchObject({ status: 0 });
  expect(await recorded('cut')).toEqual(WHOLE);
  expect(await readdir(spool)).toEqual([]);
});

test('A spool of another project, of a newer version, or with other content is not sent, and the spools beside it are', async () => {
  const { tenant, record, upload, recorded, spool } = await stage();
  const text = await readFile(await record('good'), 'utf8');
  const unsealed = text.replaceAll(/,"seal":"\w+"/g, '');
  const planted = {
    'other-project': unsealed.replace('"format":2', '"format":1').replaceAll(tenant.projectId, 'p\u202eother'),
    newer: unsealed.replace('"format":2', '"format":3'),
    garbage: '{"start":{"project":1}}\n{"test":[1]}\n{"sent":"x"}\nnull\n[]\n',
  };
  for (const [name, content] of Object.entries(planted)) await writeFile(join(spool, `${name}.ndjson`), content);
  const { status, output } = await upload();
  expect(status).toBe(1);
  expect(output).toContain('its results belong to the project p<U+202E>other. Set RUNDOWN_PROJECT to this project');
  expect(output).toContain('newer.ndjson was written by a newer version of this client. Install that version');
  expect(await recorded('good')).toEqual(WHOLE);
  expect((await readdir(spool)).sort()).toEqual(['garbage.refused', 'newer.ndjson', 'other-project.ndjson']);
});

test('Results that the service refuses for good are set aside once with the reason, no later run or upload names them, and they can still be sent by their name', async () => {
  const { tenant, record, recordNow, upload, spool, folder } = await stage();
  await recordNow('cancelled', { RUNDOWN_KEEP_OPEN: '1' });
  const path = await record('cancelled');
  const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=cancelled`);
  expect(await tenant.api.put(`/runs/${runId}/cancel`, {})).toMatchObject({ status: 200 });
  const first = await upload();
  const aside = path.replace('.ndjson', '.refused');
  expect(first).toMatchObject({ status: 1, output: expect.stringContaining('2 of 2 tests were not recorded') });
  expect(first.output).toContain('This run is cancelled');
  expect(first.output).toContain(`were set aside in ${aside}`);
  expect(first.output).not.toContain('Results are waiting');
  expect(await readdir(spool)).toEqual([basename(aside)]);
  expect(await readFile(aside, 'utf8')).toContain('{"refused":"This run is cancelled');

  expect(await upload()).toMatchObject({ status: 0, output: `No results are waiting in ${spool}\n` });
  expect(await recordNow('later')).toMatch(/2 tests recorded {2}→ {2}\S+\n {9}2 passed\n$/);

  const text = await readFile(aside, 'utf8');
  await writeFile(
    aside,
    text
      .replaceAll(/,"seal":"\w+"/g, '')
      .replace('"format":2', '"format":1')
      .replaceAll('"cancelled"', '"another"'),
  );
  const command = [join(current, 'rundown.js'), 'upload', '--spool', aside, '--json'];
  const { status, output } = await runIn(folder, command, {
    RUNDOWN_DSN: `${tenant.origin.replace('://', `://${tenant.keys.readWrite}@`)}/${tenant.projectId}`,
  });
  expect({ status, ...JSON.parse(output) }).toMatchObject({
    status: 'OK',
    refused: [],
    spools: [{ path: aside, tests: { overall: 2, passed: 2, notRecorded: 0 }, isComplete: true }],
  });
  expect(await readdir(spool)).toEqual([]);
});

test('A run does not name the results of another project that wait in its folder', async () => {
  const { record, recordNow, tenant } = await stage();
  const path = await record('waiting');
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(tenant.projectId, 'other'));
  expect(await recordNow('another')).not.toContain('waiting');
  await record('own');
  expect(await recordNow('yet another')).toContain('Results are waiting in');
});
