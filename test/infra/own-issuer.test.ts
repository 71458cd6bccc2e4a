/** §5.3 The authorization server in the templates: keys, functions and routes. */
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { statementsOf } from './policies.ts';
import { type Synthesized, synthesized } from './synthesized.ts';

const Api = z.object({ paths: z.record(z.string(), z.unknown()) });
const pathsOf = (template: Synthesized) =>
  Object.keys(Api.parse(template.only('AWS::ApiGateway::RestApi').Properties['Body']).paths);
const nameOf = ({ Properties }: { readonly Properties: Readonly<Record<string, unknown>> }) =>
  `${Properties['FunctionName']}`.replace(/^rundown-\w+-/, '');
const namesOf = (template: Synthesized) => template.all('AWS::Lambda::Function').map(nameOf);

let own: Synthesized;
beforeAll(async () => {
  own = await synthesized({ env: 'prod' });
});

describe('The authorization server', () => {
  test('may use its signing keys, and no other function may', () => {
    const key = own.only('AWS::KMS::Key');
    expect(key.Properties).toMatchObject({
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
      PendingWindowInDays: 30,
    });
    const users = own.all('AWS::Lambda::Function').flatMap((fn) => {
      const statements = statementsOf(own, fn).filter(({ Action }) => Action.some((one) => one.startsWith('kms:')));
      return statements.map(({ Action, Resource }) => [nameOf(fn), Action, own.target(Resource).id]);
    });
    expect(users).toEqual([['authorizationServer', ['kms:GetPublicKey', 'kms:Sign'], key.id]]);
  });

  test('has a gigabyte of memory, because its OAuth library is large', () => {
    const fn = own.all('AWS::Lambda::Function').find((one) => nameOf(one) === 'authorizationServer');
    expect(fn?.Properties).toMatchObject({ MemorySize: 1024 });
  });

  test('Registrations of OAuth clients are limited to one per second, and all other requests have the rate limit of the stage', () => {
    const Settings = z.array(z.looseObject({ HttpMethod: z.string(), ResourcePath: z.string() }));
    const [all, ...others] = Settings.parse(own.only('AWS::ApiGateway::Stage').Properties['MethodSettings']);
    expect(others).toEqual([
      {
        ...all,
        HttpMethod: 'POST',
        ResourcePath: '/~1api~1auth~1oauth2~1register',
        ThrottlingRateLimit: 1,
        ThrottlingBurstLimit: 5,
      },
    ]);
  });

  test('has one signing key per name in the setting signingKeys', async () => {
    const two = await synthesized({ env: 'prod', signingKeys: 'first,second' });
    expect(two.all('AWS::KMS::Key')).toHaveLength(2);
    await expect(synthesized({ env: 'prod', signingKeys: 'a key' })).rejects.toThrow('-c signingKeys=... must be');
  });

  test('With an external issuer there is no authorization server: no keys, no functions and no routes', async () => {
    const external = await synthesized({ env: 'prod', oauthIssuer: 'https://auth.example.com' });
    expect(external.all('AWS::KMS::Key')).toEqual([]);
    const gone = namesOf(own).filter((name) => !namesOf(external).includes(name));
    expect(gone.sort()).toEqual(['authorizationServer', 'consent']);
    const lost = pathsOf(own).filter((path) => !pathsOf(external).includes(path));
    expect(lost.sort()).toEqual([
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/api/auth/oauth2/authorize',
      '/api/auth/oauth2/authorize/{uid}',
      '/api/auth/oauth2/jwks',
      '/api/auth/oauth2/register',
      '/api/auth/oauth2/revoke',
      '/api/auth/oauth2/token',
      '/oauth/consent/{uid}',
    ]);
  });
});
