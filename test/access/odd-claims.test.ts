import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileValue } from '#test/engine/http/hostile.ts';
import { comparable, send } from '#test/engine/http/wire.ts';
import { attack } from '#test/harness/attacks.ts';
import { cases } from '#test/harness/cases.ts';
import { claimsOf, type SigningKey } from '#test/harness/issuer.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

/** Encodes a part of a JSON Web Signature by hand, because libraries refuse to sign invalid claims. */
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function signedAsIs(claims: unknown, header: Readonly<Record<string, unknown>>, key: SigningKey) {
  const text = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.privateKey, Buffer.from(text));
  return `${text}.${Buffer.from(signature).toString('base64url')}`;
}

async function prepared() {
  const here = await service();
  const { accountId } = await member(here, 'admin');
  const good = claimsOf(here.issuer, here, accountId);
  const ask = async (claims: unknown, header = {}) => {
    const token = await signedAsIs(claims, header, here.issuer.key);
    const headers = [['authorization', `Bearer ${token}`]] as const;
    return send(here.origin, { method: 'GET', path: '/v1/me', headers });
  };
  const refused = comparable(await send(here.origin, { method: 'GET', path: '/v1/me' }));
  return { good, ask, refused };
}

let shared: ReturnType<typeof prepared> | undefined;
/** All tests share one member, because their requests change nothing. */
const stage = () => (shared ??= prepared());

const CLAIMS = ['iss', 'aud', 'sub', 'org_id', 'client_id', 'jti', 'iat', 'exp', 'nbf', 'scope'];

/** Names of claims, each with an invalid value. */
const ODD: ReadonlyArray<readonly [string, unknown]> = [
  ...['sub', 'jti', 'client_id', 'org_id'].flatMap((claim) =>
    [7, true, null, {}, [], { id: 'a' }, ['a'], '', '\u0000', 'a\nb', '\ud800', 'x'.repeat(1025)].map(
      (value) => [claim, value] as const,
    ),
  ),
  ...[7, null, {}, [], ['projects:read']].map((value) => ['scope', value] as const),
  ...[7, null, {}, [], [7], [[]], [{}], ['', '']].map((value) => ['aud', value] as const),
  ...['iat', 'exp', 'nbf'].flatMap((claim) =>
    ['1793613600', null, {}, [], true, [1793613600]].map((value) => [claim, value] as const),
  ),
  ...[1e308, -1e308, 1e300].map((value) => ['iat', value] as const),
];

describe('§5.3 A signed access token', () => {
  test.each(ODD.map(([claim, value]) => [claim, JSON.stringify(value).slice(0, 30), value] as const))(
    'A token whose claim `%s` is %s gets the same 401 as a request without a credential',
    async (claim, _, value) => {
      const { good, ask, refused } = await stage();
      attack('unusable credentials');
      expect(comparable(await ask({ ...good, [claim]: value }))).toEqual(refused);
    },
  );

  test('An access token with a client id of 1,024 characters is accepted', async () => {
    const { good, ask } = await stage();
    expect((await ask({ ...good, client_id: 'x'.repeat(1024) })).status).toBe(200);
  });

  test('An access token never causes an internal error, whatever JSON one of its claims contains', async () => {
    const { good, ask, refused } = await stage();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CLAIMS), hostileValue, async (claim, value) => {
        const answer = await ask({ ...good, [claim]: value });
        attack('unusable credentials');
        if (answer.status !== 200) expect([401, 403, 431]).toContain(answer.status);
        if (answer.status === 401) expect(comparable(answer)).toEqual(refused);
      }),
      { numRuns: cases(400, 80) },
    );
  });

  test('An access token never causes an internal error, whatever JSON is in its header parameters or replaces its claims', async () => {
    const { good, ask, refused } = await stage();
    const names = fc.constantFrom('alg', 'typ', 'kid', 'crit', 'b64', 'cty', 'jwk', 'x5c', 'jku', 'zip', 'enc');
    const request = fc.oneof(
      fc.tuple(fc.constant(good), fc.dictionary(names, hostileValue, { minKeys: 1, maxKeys: 2 })),
      fc.tuple(hostileValue, fc.constant({})),
    );
    await fc.assert(
      fc.asyncProperty(request, async ([claims, header]) => {
        const answer = await ask(claims, header);
        if (answer.status !== 200) expect([401, 431]).toContain(answer.status);
        if (answer.status === 401) expect(comparable(answer)).toEqual(refused);
      }),
      { numRuns: cases(200, 40) },
    );
  });

  test('An access token may state an expiry in the distant future, because the service limits the age of tokens itself', async () => {
    const { good, ask } = await stage();
    for (const exp of [2 ** 53, 1e21, 1e300]) expect((await ask({ ...good, exp })).status).toBe(200);
  });
});
