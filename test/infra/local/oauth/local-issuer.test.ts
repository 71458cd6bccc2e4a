import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '#infra/local/host/http-server.ts';
import { localIssuer } from '#infra/local/oauth/local-issuer.ts';
import { client } from '#test/harness/client.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

/** The issuer on its own server. */
async function issuerIn(dataDirectory: string) {
  const server = await listen(0);
  onTestFinished(server.close);
  const issuer = localIssuer({ server, dataDirectory, onFault: fail });
  return { ...issuer, origin: server.origin, get: (path: string) => client(issuer.file.issuer).get(`@${path}`) };
}

function fail(fault: string): never {
  throw new Error(fault);
}

const KEYS = '/api/auth/oauth2/jwks';

describe('§5.3 The issuer of npm start', () => {
  test('shares the port of the service and lists its endpoints', async () => {
    const { file, origin, start, get } = await issuerIn(await temporaryFolder());
    expect(origin).toMatch(/^http:\/\/localhost:\d+$/);
    expect(file).toEqual({
      issuer: origin,
      clientId: 'rundown-cli',
      authorizationEndpoint: `${origin}/api/auth/oauth2/authorize`,
      tokenEndpoint: `${origin}/api/auth/oauth2/token`,
      revocationEndpoint: `${origin}/api/auth/oauth2/revoke`,
    });
    await start();
    expect((await get('/.well-known/oauth-authorization-server')).body.issuer).toBe(origin);
  });

  test('keeps its key for this user only, so that tokens survive a restart', async () => {
    const folder = await temporaryFolder();
    const first = await issuerIn(folder);
    await first.start();
    const { body } = await first.get(KEYS);
    await first.close();
    const second = await issuerIn(folder);
    await second.start();
    expect((await second.get(KEYS)).body).toEqual(body);
    const modes = await Promise.all(
      (await readdir(folder)).map(async (name) => [name, (await stat(join(folder, name))).mode & 0o777]),
    );
    expect(Object.fromEntries(modes)).toEqual({ 'oauth-key.json': 0o600, 'oauth.db': 0o600 });
  });

  test('has another key in another folder', async () => {
    const [one, two] = [await issuerIn(await temporaryFolder()), await issuerIn(await temporaryFolder())];
    await Promise.all([one.start(), two.start()]);
    expect((await one.get(KEYS)).body).not.toEqual((await two.get(KEYS)).body);
  });

  test.each(['', '{', '{"kty":"oct","k":"c2VjcmV0"}'])(
    'refuses to start with a damaged key, with advice: %s',
    async (text) => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'oauth-key.json'), text);
      const { start } = await issuerIn(folder);
      await expect(start()).rejects.toThrow(/oauth-key\.json is damaged\. Delete it and start again/);
    },
  );

  test.each(['auth.example.com', 'http://auth.example.com', 'https://auth.example.com/?tenant=1'])(
    'cannot be replaced by %s',
    async (named) => {
      vi.stubEnv('RUNDOWN_OAUTH_ISSUER', named);
      onTestFinished(() => void vi.unstubAllEnvs());
      await expect(issuerIn(await temporaryFolder())).rejects.toThrow(/cannot be an issuer\. Write it as its metadata/);
    },
  );

  test('is replaced by the issuer in RUNDOWN_OAUTH_ISSUER', async () => {
    vi.stubEnv('RUNDOWN_OAUTH_ISSUER', 'https://auth.example.com');
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = await temporaryFolder();
    const { file, start } = await issuerIn(folder);
    await start();
    expect(file).toEqual({ issuer: 'https://auth.example.com' });
    expect(await readdir(folder)).toEqual([]);
  });
});
