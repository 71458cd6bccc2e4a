import { describe, expect, test } from 'vitest';
import { makeBundleOptions } from '#infra/build/bundle.ts';
import { loadFunctions } from '#infra/build/declarations.ts';
import { service } from '#test/harness/service.ts';
import PACKAGE from '../../package.json' with { type: 'json' };

describe('GET /health', () => {
  test('responds at the origin, outside `/v1`, without a credential', async () => {
    const { anonymous } = await service();
    expect(await anonymous.get('@/health')).toMatchObject({ status: 200, body: { status: 'OK' } });
  });

  test('GET /health and the footer of the sign-in page show the version, and no commit if the service was not deployed', async () => {
    const { anonymous, origin } = await service();
    const { version } = PACKAGE;
    expect((await anonymous.get('/health')).body).toEqual({ status: 'OK', version });
    expect(await (await fetch(`${origin}/sign-in`)).text()).toContain(`Rundown ${version} · `);
  });

  test('The functions of a deployment are built with its version and commit', async () => {
    const { define } = await makeBundleOptions('unused', await loadFunctions(), { commit: 'abc1234-dirty' });
    expect(define['BUILT_RELEASE']).toBe(JSON.stringify({ version: PACKAGE.version, commit: 'abc1234-dirty' }));
  });
});
