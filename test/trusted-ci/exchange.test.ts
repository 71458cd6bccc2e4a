/** What a CI job gets for its identity token, and what hostile tokens get. */
import type { ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { deleteProject } from '#shared/organizations/delete-project.ts';
import { IssuerKeys } from '#shared/trusted-ci/issuer-keys.ts';
import { removeRepository } from '#shared/trusted-ci/trusted-repositories.ts';
import { verifyIdentity } from '#shared/trusted-ci/verify-identity.ts';
import { attack } from '#test/harness/attacks.ts';
import { githubClaims, gitlabClaims, makeSigningKey } from '#test/harness/ci-claims.ts';
import { ciIssuer } from '#test/harness/ci-issuer.ts';
import { client } from '#test/harness/client.ts';
import { liveGroup, sendStart, startBody } from '#test/harness/live-recording.ts';
import { clock } from '#test/harness/service.ts';
import { exchange, shop, signingKey } from './stage.ts';
import { trust } from './trust.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const CONFIGURATION = '/.well-known/openid-configuration';
const documentOf = (issuer: string, jwks: string) => JSON.stringify({ issuer, jwks_uri: jwks });

const statusOf = async (answer: Promise<{ readonly status: number }>) => (await answer).status;

describe('A CI job', () => {
  test('gets a credential for an hour that is bound to the build of its token', async () => {
    const { exchange, origin, projectId, services } = await shop();
    const { status, body } = await exchange();
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        data: {
          expiresAt: new Date(services.now() + HOUR).toISOString(),
          ciBuildId: 'acme/shop-9001-1',
          origin: { provider: 'github', repository: 'acme/shop', repositoryId: '4711', provesCommit: true },
        },
      },
    });
    const read = () => client(origin, body.data.credential).get(`/rules/project/${projectId}`);
    expect(await statusOf(read())).toBe(200);
    clock.advance(HOUR - SECOND);
    expect(await statusOf(read())).toBe(200);
    clock.advance(SECOND);
    expect(await statusOf(read())).toBe(401);
  });

  test('may exchange its token again while the token is valid, and both credentials record the same build', async () => {
    const { ci: issuer, claims, origin, organizationId, projectId } = await shop();
    const token = await issuer.sign(claims());
    const place = { origin, organizationId, projectId };
    const builds: string[] = [];
    for (const { body } of [await exchange(place, token), await exchange(place, token)]) {
      const api = client(origin, body.data.credential);
      const { body: started } = await sendStart(
        { api, projectId },
        startBody([liveGroup('web', [])], { ciBuildId: null }),
      );
      builds.push(started.data.runId);
    }
    expect(new Set(builds).size).toBe(1);
    clock.advance(6 * MINUTE + SECOND);
    expect(await statusOf(exchange(place, token))).toBe(401);
  });

  test('A job of GitLab CI gets a credential for its own build, too', async () => {
    const here = await shop({ provider: 'gitlab', repository: 'Acme/Web/Shop' });
    const names = { issuer: here.ci.issuer, audience: here.origin };
    const { status, body } = await exchange(here, await here.ci.sign(gitlabClaims(names)));
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { data: { ciBuildId: '555', origin: { repository: 'acme/web/shop', repositoryId: '815', person: 'kim' } } },
    });
    const asGithub = await here.ci.sign(githubClaims(names));
    expect(await statusOf(exchange(here, asGithub))).toBe(401);
  });

  test('is refused at once when its repository is removed, the project is deleted, or the organization is deactivated', async () => {
    const here = await shop();
    const { services, organizationId, projectId, entry } = here;
    const of = { organizationId, projectId, actor: OPERATOR };
    const job = await here.job();
    expect(await statusOf(job.get(`/rules/project/${projectId}`))).toBe(200);
    await removeRepository(services, { ...of, trustId: entry.trustId });
    expect(await statusOf(job.get(`/rules/project/${projectId}`))).toBe(401);
    expect(await statusOf(here.exchange())).toBe(401);
    await trust(here, here.ci);
    const other = await here.job();
    await deleteProject(services, of);
    expect(await statusOf(here.exchange())).toBe(401);
    await deactivateOrganization(services, of);
    expect(await statusOf(here.exchange())).toBe(401);
    expect(await statusOf(other.get(`/rules/project/${projectId}`))).toBe(401);
  });

  test('is refused if its branch or its environment is not the one that is trusted', async () => {
    const branch = await shop({ branch: 'release/*' });
    expect(await statusOf(branch.exchange())).toBe(401);
    expect(await statusOf(branch.exchange({ ref: 'refs/heads/release/1' }))).toBe(201);
    expect(await statusOf(branch.exchange({ ref: 'refs/tags/release/1' }))).toBe(401);
    const pull = { ref: 'refs/pull/5/merge', event_name: 'pull_request', head_ref: 'release/1' };
    expect(await statusOf(branch.exchange(pull))).toBe(401);
    const target = { ref: 'refs/heads/release/1', event_name: 'pull_request_target' };
    expect(await statusOf(branch.exchange(target))).toBe(401);
    const environment = await shop({ environment: 'ci' });
    expect(await statusOf(environment.exchange())).toBe(401);
    expect(await statusOf(environment.exchange({ environment: 'CI' }))).toBe(401);
    expect(await statusOf(environment.exchange({ environment: 'ci' }))).toBe(201);
  });
});

describe('A trusted repository', () => {
  test('keeps its access when it is renamed, and no later repository of the same name inherits it', async () => {
    const here = await shop();
    // Before the first token, nobody knows the ids.
    expect(await statusOf(here.exchange({ repository: 'acme/other' }))).toBe(401);
    expect(await statusOf(here.exchange({ repository: 'Acme/Shop' }))).toBe(201);
    attack('identity tokens', 3);
    expect(await statusOf(here.exchange({ repository_id: '4712' }))).toBe(401);
    expect(await statusOf(here.exchange({ repository_owner_id: '13' }))).toBe(401);
    expect(await statusOf(here.exchange({ repository: 'acme/boutique' }))).toBe(201);
    expect(await statusOf(here.exchange({ repository_id: '4712', repository: 'acme/boutique' }))).toBe(401);
    // A second entry for the repository means the known one.
    await trust(here, here.ci, { repository: 'acme/boutique', branch: 'next' });
    attack('identity tokens');
    const next = { repository: 'acme/boutique', ref: 'refs/heads/next' };
    expect(await statusOf(here.exchange({ ...next, repository_id: '4712' }))).toBe(401);
    expect(await statusOf(here.exchange(next))).toBe(201);
  });
});

describe('A hostile identity token', () => {
  test('gets no credential, whatever it states and however it is signed, and always the same answer', async () => {
    const here = await shop();
    const { ci: issuer, claims, origin } = here;
    const [stranger, mine] = [await makeSigningKey(), signingKey()];
    const other = await here.tenant('Mallory');
    const instance = await ciIssuer(stranger);
    const now = Math.floor(Date.now() / SECOND);
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims())).toString('base64url')}.`;
    const symmetric = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: mine.kid })
      .sign(Buffer.from(JSON.stringify(mine.jwk)));
    const signed = await issuer.sign(claims());
    const [head = '', body = '', seal = ''] = signed.split('.');
    const sign = (changes: object, more: Parameters<typeof issuer.sign>[1] = {}) => issuer.sign(claims(changes), more);
    const forged = { key: { ...stranger, kid: mine.kid } };
    const tokens: Readonly<Record<string, string>> = {
      'another audience': await sign({ aud: 'https://other.example' }),
      'several audiences': await sign({ aud: [origin, 'https://other.example'] }),
      'no audience': await sign({ aud: undefined }),
      'an audience with a slash': await sign({ aud: `${origin}/` }),
      'another repository': await sign({ repository: 'mallory/shop' }),
      'a longer name': await sign({ repository: 'acme/shop/x' }),
      'no repository': await sign({ repository: undefined }),
      'a list as repository': await sign({ repository: ['acme/shop'] }),
      'no repository id': await sign({ repository_id: undefined }),
      'no run': await sign({ run_id: undefined }),
      'an odd run': await sign({ run_id: '9001-1' }),
      'control characters': await sign({ ref: 'refs/heads/ma\u0000in' }),
      'an endless ref': await sign({ ref: `refs/heads/${'x'.repeat(300)}` }),
      expired: await sign({ iat: now - 900, exp: now - 61 }),
      'no expiry': await sign({ exp: undefined }),
      'not valid yet': await sign({ nbf: now + 90 }),
      'issued in the future': await sign({ iat: now + 90, exp: now + 600 }),
      'issued two days ago': await sign({ iat: now - 2 * 86_400, exp: now + 600 }),
      'no time of issue': await sign({ iat: undefined }),
      'signed by a stranger': await sign({}, { key: stranger }),
      'signed by a stranger with a known key id': await sign({}, forged),
      'the address of keys in the header': await sign({}, { ...forged, header: { jku: `${instance.issuer}/jwks` } }),
      'a key in the header': await sign({}, { ...forged, header: { jwk: stranger.jwk } }),
      'certificates in the header': await sign(
        {},
        { ...forged, header: { x5u: `${instance.issuer}/x5u`, x5c: ['AA=='] } },
      ),
      'a path as key id': await sign({}, { key: stranger, header: { kid: '../../jwks' } }),
      'no algorithm': none,
      'a shared secret': symmetric,
      'an unknown extension': await sign({}, { header: { crit: ['x'], x: true } }).catch(() => none),
      'another signature algorithm': await issuer.sign(claims(), { key: { ...mine, alg: 'RS512' } }).catch(() => none),
      'changed claims': `${head}.${Buffer.from(JSON.stringify(claims({ repository_id: '1' }))).toString('base64url')}.${seal}`,
      'no signature': `${head}.${body}.`,
      'a fourth part': `${signed}.x`,
      'two parts': `${head}.${body}`,
      'no JSON': 'eyJhbGciOiJSUzI1NiJ9.e30x.AAAA',
      'an issuer with a slash': await sign({ iss: `${issuer.issuer}/` }),
      'an issuer in upper case': await sign({ iss: issuer.issuer.toUpperCase() }),
      'an issuer with a port of its own': await sign({ iss: `${issuer.issuer}0` }),
      'another instance': await instance.sign(claims({ iss: instance.issuer })),
      'a number as issuer': await sign({ iss: 1 as never }),
      'a huge token': await sign({ groups: 'x'.repeat(6000) }),
      'a key of an organization': here.keys.readWrite,
    };
    const answers: [string, number, string][] = [];
    for (const [name, token] of Object.entries(tokens)) {
      attack('identity tokens');
      const { status, body: answer } = await exchange(here, token);
      answers.push([name, status, answer.error]);
    }
    const message = (await here.anonymous.get('/projects')).body.error;
    expect(answers).toEqual(Object.keys(tokens).map((name) => [name, 401, message]));
    attack('identity tokens', 3);
    expect(await statusOf(exchange({ ...here, ...other }, signed))).toBe(401);
    expect(await statusOf(exchange({ ...here, projectId: other.projectId }, signed))).toBe(401);
    expect(await statusOf(exchange({ ...here, organizationId: other.organizationId }, signed))).toBe(401);
    // The stranger's issuer was never asked, and the known one only for its configuration and its keys.
    expect(instance.requests).toEqual([]);
    expect(new Set(issuer.requests)).toEqual(new Set(['/.well-known/openid-configuration', '/jwks']));
    expect(await statusOf(exchange(here, signed))).toBe(201);
  });
});

describe('The keys of an issuer', () => {
  test('are read again for an unknown key, but not for each forged one', async () => {
    const here = await shop();
    const { ci: issuer } = here;
    expect(await statusOf(here.exchange())).toBe(201);
    const newKey = await makeSigningKey();
    issuer.keys = [newKey.jwk];
    const rotated = await issuer.sign(here.claims(), { key: newKey });
    for (let count = 0; count < 5; count += 1) expect(await statusOf(exchange(here, rotated))).toBe(401);
    expect(issuer.requests.length).toBe(2);
    clock.advance(6 * SECOND);
    expect(await statusOf(exchange(here, rotated))).toBe(201);
    // The old key is no longer published.
    expect(await statusOf(here.exchange())).toBe(401);
    expect(issuer.requests.length).toBe(4);
  });

  test('delay no job of another organization while the issuer is silent', async () => {
    const [here, other] = [await shop(), await shop()];
    const { promise: request, resolve } = Promise.withResolvers<ServerResponse>();
    here.ci.answer = (_, response) => {
      resolve(response);
      return true;
    };
    const waiting = here.exchange();
    const response = await request;
    expect(await statusOf(other.exchange())).toBe(201);
    response.destroy();
    expect(await statusOf(waiting)).toBe(409);
  });

  test('are waited for 10 seconds', async () => {
    const here = await shop();
    const { promise: request, resolve } = Promise.withResolvers<void>();
    here.ci.answer = () => {
      resolve();
      return true;
    };
    const token = await here.ci.sign(here.claims());
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
    const identity = { token, issuer: here.ci.issuer };
    const result = verifyIdentity(here.services, new IssuerKeys(), identity).catch(String);
    await request;
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(9999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await result).toContain('SilentIssuer');
  });

  test('give no credential while the issuer fails. The job gets 409, and the issuer is not asked for each token', async () => {
    const here = await shop();
    const { ci: issuer } = here;
    const faults: readonly (readonly [string, (response: ServerResponse) => unknown])[] = [
      ['/jwks', (response) => response.writeHead(500).end()],
      ['/jwks', (response) => response.writeHead(302, { location: '/other' }).end()],
      ['/jwks', (response) => response.writeHead(200).end('<html>')],
      ['/jwks', (response) => response.writeHead(200).end('1')],
      ['/jwks', (response) => response.writeHead(200).end('{"keys":[1]}')],
      ['/jwks', (response) => response.writeHead(200).end(`{"keys":[],"x":"${'x'.repeat(200_000)}"}`)],
      ['/jwks', (response) => response.destroy()],
      [CONFIGURATION, (response) => response.writeHead(200).end('{"issuer":"https://evil.example"}')],
      [
        CONFIGURATION,
        (response) => response.writeHead(200).end(documentOf(issuer.issuer, 'http://169.254.169.254/jwks')),
      ],
      [CONFIGURATION, (response) => response.writeHead(200).end(documentOf(issuer.issuer, 'file:///etc/passwd'))],
    ];
    for (const [place, reply] of faults) {
      clock.advance(5 * SECOND);
      issuer.answer = (path, response) => {
        if (path === place) reply(response);
        return path === place;
      };
      attack('identity tokens');
      const { status, body, headers } = await here.exchange();
      expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'issuer_unavailable', '5']);
      const count = issuer.requests.length;
      expect(await statusOf(here.exchange())).toBe(409);
      expect(issuer.requests.length).toBe(count);
    }
    issuer.answer = undefined;
    clock.advance(5 * SECOND);
    expect(await statusOf(here.exchange())).toBe(201);
  });
});
