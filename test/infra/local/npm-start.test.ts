import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseDsn } from '#infra/client/settings/dsn.ts';
import { consentWith, runLogin } from '#test/harness/login-command.ts';
import { findAssembly } from '#test/harness/stage.ts';
import { cookieOf, visitor } from '#test/harness/visitor.ts';
import { freePort, PROJECT, start, temporaryFolder } from './child.ts';
import { attachDebugger } from './debugger.ts';

const LocalFile = z.object({
  baseUrl: z.string(),
  dsn: z.string(),
  projects: z.array(z.object({ projectId: z.string() })),
  apiKeys: z.object({ readWrite: z.string() }),
  people: z.array(z.object({ role: z.string(), signInLink: z.url() })),
  oauth: z.object({ issuer: z.url(), clientId: z.string(), authorizationEndpoint: z.url(), tokenEndpoint: z.url() }),
});

/** The first line of `listProjects` that runs at each call. */
const BREAKPOINT = { source: 'shared/results/runs/list-projects.ts', text: '  const { table } = services;' };

async function findBreakpoint() {
  const lines = (await readFile(join(PROJECT, BREAKPOINT.source), 'utf8')).split('\n');
  return { source: BREAKPOINT.source, line: lines.indexOf(BREAKPOINT.text) + 1 };
}

type Use = (file: z.infer<typeof LocalFile>, debuggerAddress: string) => Promise<void>;

/** Starts the real app, calls `use`, stops the app with Ctrl-C and returns its output. */
async function whileRunning(folder: string, port: number, use: Use, args: readonly string[] = []) {
  const program = ['--inspect=127.0.0.1:0', 'infra/local/start.ts', ...args];
  const child = start(program, { RUNDOWN_DATA: folder, PORT: String(port) });
  const output: string[] = [];
  child.stderr?.on('data', (chunk) => output.push(String(chunk)));
  if (!child.stdout) throw new Error('The service has no standard output');
  for await (const line of createInterface(child.stdout)) {
    output.push(line);
    if (line.startsWith('Rundown is ready')) {
      const [, debuggerAddress = ''] = /^Debugger listening on (\S+)$/m.exec(output.join('')) ?? [];
      await use(LocalFile.parse(JSON.parse(await readFile(join(folder, 'local.json'), 'utf8'))), debuggerAddress);
      child.kill('SIGINT');
    }
  }
  if (child.exitCode === null) await once(child, 'exit');
  expect({ status: child.exitCode, output: output.join('\n') }).toMatchObject({ status: 0 });
  return output.join('\n');
}

/** Returns the synthesized templates, without the names of assets and the paths of their files. */
async function templatesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.template.json'));
  const texts = names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    return [name, text.replaceAll(/"aws:asset:path": "[^"]*"|[0-9a-f]{64}/g, 'asset')] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

test('npm start runs the same template as the tests, stops at Ctrl-C while it records the demo, finds the same data at the next start, and stops at breakpoints', async () => {
  const folder = join(await temporaryFolder(), 'data');
  const port = await freePort();
  const projects = async ({ baseUrl, apiKeys }: z.infer<typeof LocalFile>) => {
    const response = await fetch(`${baseUrl}/projects`, { headers: { authorization: `Bearer ${apiKeys.readWrite}` } });
    expect(response.status).toBe(200);
    return response.json();
  };
  const answersTo = async ({ baseUrl }: z.infer<typeof LocalFile>, token: string) =>
    (await fetch(`${baseUrl}/projects`, { headers: { authorization: `Bearer ${token}` } })).status;
  let first: unknown;
  let login = { accessToken: '', refreshToken: '' };
  const output = await whileRunning(folder, port, async (file) => {
    first = await projects(file);
    expect(file).toMatchObject({
      baseUrl: `http://localhost:${port}/v1`,
      oauth: { issuer: `http://localhost:${port}` },
    });
    const { origin, hash = '' } = new URL(file.people.find(({ role }) => role === 'guest')?.signInLink ?? '');
    const person = consentWith(cookieOf(await visitor(origin).post('/sign-in/link', { code: hash.slice(1) })));
    const { status, output, errors } = await runLogin({ folder, person, args: ['--json'] });
    expect({ status, errors }).toEqual({ status: 0, errors: expect.any(String) });
    login = JSON.parse(output);
    expect(await answersTo(file, login.accessToken)).toBe(200);
  });
  const {
    baseUrl,
    apiKeys,
    oauth,
    dsn,
    projects: demo,
  } = LocalFile.parse(JSON.parse(await readFile(join(folder, 'local.json'), 'utf8')));
  expect(output).toContain(`curl -H 'Authorization: Bearer ${apiKeys.readWrite}' ${baseUrl}/projects`);
  const parts = { url: `http://localhost:${port}`, key: apiKeys.readWrite, project: demo[0]?.projectId };
  expect(parseDsn(dsn)).toEqual(parts);
  expect(output).toContain(`Record tests     RUNDOWN_DSN=${dsn}\n`);
  expect(output).toMatch(`OAuth issuer     ${oauth.issuer} sign in with npm run login`);
  expect(output).not.toMatch(/warning|notice/i);
  expect(output).not.toContain(login.accessToken);
  expect(await readdir(folder)).not.toContain('lock.json');
  expect(await templatesIn(join(folder, 'cdk.out/template'))).toEqual(await templatesIn(await findAssembly()));
  const recorded = await readFile(join(folder, 'story.json'), 'utf8');
  const afterwards = async (file: z.infer<typeof LocalFile>) => {
    expect(file.apiKeys).toEqual(apiKeys);
    expect(await projects(file)).toEqual(first);
    expect(file.oauth).toEqual(oauth);
    expect(await answersTo(file, login.accessToken)).toBe(200);
    const grant = { grant_type: 'refresh_token', refresh_token: login.refreshToken, client_id: file.oauth.clientId };
    const renewed = await fetch(file.oauth.tokenEndpoint, { method: 'POST', body: new URLSearchParams(grant) });
    expect(renewed.status).toBe(200);
    // Registrations are limited here as in a deployment, other requests are not.
    const registration = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] }),
    };
    const register = async () => (await fetch(`${file.oauth.issuer}/api/auth/oauth2/register`, registration)).status;
    const statuses = await Promise.all(Array.from({ length: 30 }, register));
    // How many of them pass depends on the time that they take.
    expect(new Set(statuses)).toEqual(new Set([201, 429]));
  };
  // Without `--empty`, this second start would record the rest of the demo.
  await whileRunning(
    folder,
    port,
    async (file, debuggerAddress) => {
      await afterwards(file);
      // A breakpoint in a source file stops the handler of a request.
      const attached = await attachDebugger(debuggerAddress);
      await attached.breakAt('list-projects', await findBreakpoint());
      const [stopped, answer] = await Promise.all([attached.continueFromBreakpoint(), projects(file)]);
      attached.close();
      expect(stopped).toBe('listProjects');
      expect(answer).toEqual(first);
    },
    ['--empty'],
  );
  expect(await readFile(join(folder, 'story.json'), 'utf8')).toBe(recorded);
});
