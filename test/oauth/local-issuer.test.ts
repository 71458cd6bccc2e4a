import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bind, portOf } from '#infra/local/http-server.ts';
import { localIssuer } from '#infra/local/oauth/local-issuer.ts';
import { client } from '#test/harness/client.ts';
import { temporaryFolder } from '#test/local/child.ts';

/** A port whose next but one is free just now, or taken. */
async function portWith(other: 'free' | 'taken'): Promise<number> {
  const server = createServer();
  await bind(server, 0);
  const port = portOf(server);
  const close = () => void server.close();
  if (other === 'taken') onTestFinished(close);
  else close();
  return port - 2;
}

async function issuerIn(dataDirectory: string, servicePort: number) {
  const issuer = await localIssuer({ servicePort, dataDirectory, onFault: fail });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= issuer.close();
    return closed;
  };
  onTestFinished(close);
  return { ...issuer, close, get: (path: string) => client(issuer.file.issuer).get(`@${path}`) };
}

function fail(fault: string): never {
  throw new Error(fault);
}

const KEYS = '/api/auth/oauth2/jwks';

describe('§5.3 The issuer of npm start', () => {
  test('is two ports above the service, and says where a client finds what', async () => {
    const port = await portWith('free');
    const { file, start, get } = await issuerIn(await temporaryFolder(), port);
    const issuer = `http://127.0.0.1:${port + 2}`;
    expect(file).toEqual({
      issuer,
      clientId: 'rundown-cli',
      authorizationEndpoint: `${issuer}/api/auth/oauth2/authorize`,
      tokenEndpoint: `${issuer}/api/auth/oauth2/token`,
      revocationEndpoint: `${issuer}/api/auth/oauth2/revoke`,
    });
    await start();
    expect((await get('/.well-known/oauth-authorization-server')).body.issuer).toBe(issuer);
  });

  test('takes the next free port when that one is taken', async () => {
    const port = await portWith('taken');
    const { file, start, get } = await issuerIn(await temporaryFolder(), port);
    expect(Number(new URL(file.issuer).port)).toBeGreaterThan(port + 2);
    await start();
    expect((await get(KEYS)).status).toBe(200);
  });

  test('keeps its key, for this user only, so that its tokens outlive it', async () => {
    const folder = await temporaryFolder();
    const port = await portWith('free');
    const first = await issuerIn(folder, port);
    await first.start();
    const { body } = await first.get(KEYS);
    await first.close();
    const second = await issuerIn(folder, port);
    await second.start();
    expect((await second.get(KEYS)).body).toEqual(body);
    const modes = await Promise.all(
      (await readdir(folder)).map(async (name) => [name, (await stat(join(folder, name))).mode & 0o777]),
    );
    expect(Object.fromEntries(modes)).toEqual({ 'oauth-key.json': 0o600, 'oauth.db': 0o600 });
  });

  test('has another key in another folder', async () => {
    const [one, two] = [
      await issuerIn(await temporaryFolder(), await portWith('free')),
      await issuerIn(await temporaryFolder(), await portWith('free')),
    ];
    await Promise.all([one.start(), two.start()]);
    expect((await one.get(KEYS)).body).not.toEqual((await two.get(KEYS)).body);
  });

  test.each(['', '{', '{"kty":"oct","k":"c2VjcmV0"}'])(
    'does not start with a damaged key, %s, and says what to do',
    async (text) => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'oauth-key.json'), text);
      const { start } = await issuerIn(folder, await portWith('free'));
      await expect(start()).rejects.toThrow(
        /signing key .*oauth-key\.json is damaged\. Delete the file and start again/,
      );
    },
  );

  test.each(['auth.example.com', 'http://auth.example.com', 'https://auth.example.com/?tenant=1'])(
    'is never %s, which is refused at once',
    async (named) => {
      vi.stubEnv('RUNDOWN_OAUTH_ISSUER', named);
      onTestFinished(() => void vi.unstubAllEnvs());
      await expect(issuerIn(await temporaryFolder(), 1)).rejects.toThrow(
        /cannot be an issuer\. Write it as its metadata/,
      );
    },
  );

  test('is the one that RUNDOWN_OAUTH_ISSUER names, and then none is started', async () => {
    vi.stubEnv('RUNDOWN_OAUTH_ISSUER', 'https://auth.example.com');
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = await temporaryFolder();
    const { file, start } = await issuerIn(folder, await portWith('free'));
    await start();
    expect(file).toEqual({ issuer: 'https://auth.example.com' });
    expect(await readdir(folder)).toEqual([]);
  });
});
