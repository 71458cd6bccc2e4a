import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { consentWith, type LoggedIn, runLogin } from '#test/harness/login-command.ts';
import { member } from '#test/harness/people.ts';
import { clock, issueOwnTokens, service } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

issueOwnTokens();

const HOUR = 3_600_000;

/** A running service and the data folder of `npm start`. The command uses the real clock, so these tests do, too. */
async function started() {
  const stage = await service();
  clock.set(vi.getRealSystemTime() - HOUR);
  const account = await member(stage, 'member');
  vi.useRealTimers();
  const folder = await temporaryFolder();
  const local = { recordUrl: stage.origin, oauth: { issuer: stage.origin } };
  await writeFile(join(folder, 'local.json'), JSON.stringify(local));
  const { cookie } = await signIn(stage, account);
  return { stage, account, folder, cookie, person: consentWith(cookie) };
}

const statusOf = async (url: string, token: string) =>
  (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;

const post = (command: RegExpExecArray | null) => {
  const [, words = '', url = ''] = command ?? [];
  const fields = [...words.matchAll(/-d ([^= ]+)=(\S+)/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ]);
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
};

describe('npm run login', () => {
  test('prints the member, the scopes of the token, and curl commands that call the API and revoke the token', async () => {
    const { stage, account, folder, person } = await started();
    const { status, output, errors } = await runLogin({ folder, person });
    expect({ status, errors }).toEqual({
      status: 0,
      errors: expect.stringContaining('Waiting for the browser, for at most 300 seconds'),
    });
    expect(output).toContain(`Signed in as   Alex Doe (${account.email}), member in Acme\n`);
    expect(output).toContain('Scopes         projects:read results:read offline_access\n');
    const [, token = '', url = ''] = /^curl -H 'Authorization: Bearer (\S+)' (\S+)$/m.exec(output) ?? [];
    expect(url).toBe(`${stage.origin}/v1/projects`);
    expect(await statusOf(url, token)).toBe(200);
    expect(errors).not.toContain(token);
    const end = await post(/^curl (-d token=.*) (http\S+)$/m.exec(output));
    expect(end.status).toBe(200);
    expect((await post(/^curl (-d grant_type=.*) (http\S+)$/m.exec(output))).status).toBe(400);
  });

  test('prints one JSON document with --json, and the instructions on standard error', async () => {
    const { stage, folder, person } = await started();
    const { status, output, errors } = await runLogin({ folder, person, args: ['--json', '--scope', 'results:read'] });
    expect({ status, errors }).toEqual({
      status: 0,
      errors: expect.stringContaining('Open this address in a browser'),
    });
    const { accessToken, ...document } = JSON.parse(output);
    expect(document).toEqual({
      expiresAt: expect.any(String),
      scopes: ['results:read'],
      issuer: stage.origin,
      clientId: 'rundown-cli',
      resource: stage.origin,
      tokenEndpoint: `${stage.origin}/api/auth/oauth2/token`,
      revocationEndpoint: `${stage.origin}/api/auth/oauth2/revoke`,
    });
    expect(await statusOf(`${stage.origin}/v1/me`, accessToken)).toBe(200);
    expect(errors).not.toContain(accessToken);
  });

  test('finds the OAuth issuer of a deployment through the API of the deployment', async () => {
    const { stage, person } = await started();
    const elsewhere = ['--resource', stage.origin, '--json'];
    const { status, output, errors } = await runLogin({ folder: await temporaryFolder(), person, args: elsewhere });
    expect({ status, errors }).toEqual({ status: 0, errors: expect.any(String) });
    expect(JSON.parse(output)).toMatchObject({ issuer: stage.origin, resource: stage.origin });
  });

  test('ignores a redirect whose state is not that of its own request', async () => {
    const { stage, folder, person } = await started();
    let forgedStatus: number | undefined;
    const { status } = await runLogin({
      folder,
      person: async (address) => {
        const redirect = new URL(address.searchParams.get('redirect_uri') ?? '');
        redirect.search = new URLSearchParams({ code: 'forged', state: 'forged', iss: stage.origin }).toString();
        forgedStatus = (await fetch(redirect)).status;
        await person(address);
      },
    });
    expect({ status, forgedStatus }).toEqual({ status: 0, forgedStatus: 404 });
  });
});

describe('A failing npm run login', () => {
  const expectProblem = ({ status, output, errors }: LoggedIn, problem: RegExp): void => {
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(errors).toMatch(problem);
  };

  test('npm run login suggests "npm start" if the service was never started', async () => {
    const folder = await temporaryFolder();
    expectProblem(
      await runLogin({ folder }),
      /^Error: No local service has been started: \S+ does not exist\. Run "npm start"/,
    );
  });

  test('npm run login suggests "npm start" if the service is no longer running', async () => {
    const folder = await temporaryFolder();
    const local = { recordUrl: 'http://127.0.0.1:1', oauth: { issuer: 'http://127.0.0.1:1', clientId: 'rundown-cli' } };
    await writeFile(join(folder, 'local.json'), JSON.stringify(local));
    expectProblem(
      await runLogin({ folder }),
      /^Error: http:\/\/127\.0\.0\.1:1 does not answer as an authorization server: .*Run "npm start"/,
    );
  });

  test('npm run login suggests --issuer if the API of a deployment does not answer', async () => {
    const args = ['--resource', 'http://127.0.0.1:1', '--client', 'x'];
    expectProblem(
      await runLogin({ folder: await temporaryFolder(), args }),
      /does not name the authorization server of --resource: .* --issuer <URL>/,
    );
  });

  test('npm run login refuses an address without https, and asks for one with https', async () => {
    const args = ['--issuer', 'http://auth.example.com', '--client', 'x', '--resource', 'https://api.example.com'];
    expectProblem(
      await runLogin({ folder: await temporaryFolder(), args }),
      /is not a safe (issuer|resource): it does not use https\. Use an address with https/,
    );
  });

  test('npm run login suggests pressing Allow if the member denies access', async () => {
    const { folder, cookie } = await started();
    const person = consentWith(cookie, 'deny');
    expectProblem(
      await runLogin({ folder, person }),
      /The issuer refused the sign-in: access_denied .*Run the command again and press Allow/,
    );
  });

  test('npm run login suggests checking --scope if the issuer refuses the scope', async () => {
    const { folder } = await started();
    const person = async (address: URL) => (await fetch(address)).text();
    expectProblem(
      await runLogin({ folder, person, args: ['--scope', 'everything'] }),
      /The issuer refused the sign-in: invalid_scope .*Check --scope/,
    );
  });

  test('npm run login suggests running it again if nobody signs in within the time of --wait', async () => {
    const { folder } = await started();
    expectProblem(await runLogin({ folder, args: ['--wait', '1'] }), /No sign-in within 1 s\. Run the command again/);
  });

  test('npm run login names an option with an invalid value, and prints the usage for an unknown option', async () => {
    const folder = await temporaryFolder();
    expectProblem(await runLogin({ folder, args: ['--wait', 'long'] }), /--wait long is not a whole number of seconds/);
    const { status, errors } = await runLogin({ folder, args: ['--scopes', 'x'] });
    expect({ status, errors }).toEqual({ status: 2, errors: expect.stringContaining('Usage: npm run login') });
  });
});
