import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DemoOptions, writeLocalFile } from '#infra/demo/demo-organization.ts';
import { hashToken } from '#shared/access/token.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { makeServices } from '#shared/platform/connect.ts';
import { temporaryFolder } from './child.ts';
import { localService } from './local-service.ts';

const running = localService();

// The SDK takes endpoints and credentials from the environment of its process.
beforeAll(() => void Object.assign(process.env, running().service.environment));

async function firstStart(): Promise<DemoOptions> {
  const { origin, baseUrl, environment } = running().service;
  return {
    services: makeServices(environment),
    dataDirectory: await temporaryFolder(),
    origin,
    baseUrl,
    store: 'embedded',
    oauth: { issuer: 'http://127.0.0.1:4002' },
  };
}

const ROLES = ['admin', 'actionsAdmin', 'member', 'guest'];
const localFile = ({ dataDirectory }: DemoOptions) => join(dataDirectory, 'local.json');

describe('local.json', () => {
  test('contains addresses, ids and keys for scripts, and only the user who runs the service can read it', async () => {
    const options = await firstStart();
    const content = await writeLocalFile(options);
    expect(JSON.parse(await readFile(localFile(options), 'utf8'))).toEqual(content);
    expect((await stat(localFile(options))).mode & 0o777).toBe(0o600);
    expect(content).toEqual({
      baseUrl: options.baseUrl,
      recordUrl: options.origin,
      mcpUrl: `${options.origin}/mcp`,
      dashboardUrl: options.origin,
      dsn: `http://${content.apiKeys.readWrite}@${new URL(options.origin).host}/${content.projects[0]?.projectId}`,
      people: ROLES.map((role) => ({
        email: `${role}@demo.example`,
        role,
        signInLink: expect.stringMatching(/\/sign-in\/link#rdn_lnk_/),
      })),
      organizationId: expect.any(String),
      projects: [{ projectId: expect.any(String), name: 'Demo project' }],
      members: ROLES.map((role) => ({ email: `${role}@demo.example`, role })),
      oauth: options.oauth,
      apiKeys: { readWrite: expect.stringMatching(/^rdn_key_/), readOnly: expect.stringMatching(/^rdn_key_/) },
      personalAccessToken: expect.stringMatching(/^rdn_pat_/),
    });
  });

  test('keeps its ids and keys at the next start, and gets the new address of the service', async () => {
    const options = await firstStart();
    const first = await writeLocalFile(options);
    const second = await writeLocalFile({ ...options, origin: 'http://127.0.0.1:4001' });
    const origin = 'http://127.0.0.1:4001';
    // Sign-in links differ at every start.
    const urls = { recordUrl: origin, dashboardUrl: origin, mcpUrl: `${origin}/mcp` };
    const dsn = first.dsn.replace(new URL(first.dashboardUrl).host, '127.0.0.1:4001');
    expect(second).toEqual({ ...first, ...urls, dsn, people: second.people });
    expect(second.people[0]?.signInLink.startsWith(`${origin}/sign-in/link#`)).toBe(true);
    expect(second.people[0]?.signInLink.split('#')[1]).not.toBe(first.people[0]?.signInLink.split('#')[1]);
  });

  test.each([
    ['deleted', (file: string) => rm(file)],
    ['damaged', (file: string) => writeFile(file, '{')],
  ])('gets new keys for the same organization and projects if it was %s', async (_, harm) => {
    const options = await firstStart();
    const first = await writeLocalFile(options);
    await harm(localFile(options));
    const second = await writeLocalFile(options);
    expect(second).toMatchObject({ organizationId: first.organizationId, projects: first.projects });
    expect(second.apiKeys.readWrite).not.toBe(first.apiKeys.readWrite);
    expect(second.apiKeys.readOnly).not.toBe(first.apiKeys.readOnly);
  });

  test('Writing local.json fails if demo.json is damaged, and the error suggests deleting demo.json', async () => {
    const options = await firstStart();
    await writeLocalFile(options);
    const file = join(options.dataDirectory, 'demo.json');
    await writeFile(file, '{');
    await expect(writeLocalFile(options)).rejects.toThrow(`${file} is damaged. Delete it and start again`);
  });

  test('The demo organization is created again if the service uses another store', async () => {
    const options = await firstStart();
    const first = await writeLocalFile(options);
    const second = await writeLocalFile({ ...options, store: 'http://127.0.0.1:4566' });
    expect(second.organizationId).not.toBe(first.organizationId);
    expect(second.apiKeys).not.toEqual(first.apiKeys);
  });

  test('The demo organization is created again if the store no longer has its API key', async () => {
    const options = await firstStart();
    const first = await writeLocalFile(options);
    const { table } = options.services;
    await table.writeMany([remove(apiKeys, { hash: hashToken(first.apiKeys.readWrite) })]);
    const second = await writeLocalFile(options);
    expect(second.organizationId).not.toBe(first.organizationId);
  });
});
