import { describe, expect, test } from 'vitest';
import type { Answer } from '#test/harness/client.ts';
import { authorize, login, redeem, refresh } from '#test/harness/oauth.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

const ROUNDS = 20;
const AT_ONCE = 10;
const scopes = ['results:read', 'offline_access'];

const atOnce = (act: () => Promise<Answer>) => Promise.all(Array.from({ length: AT_ONCE }, act));
const successesIn = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200);
const refusalsIn = (answers: readonly Answer[]) => answers.filter(({ body }) => body.error === 'invalid_grant');

/** The refresh token of the winner is revoked, because its code or token was used twice. */
async function expectOneAndNoFamily(answers: readonly Answer[]): Promise<void> {
  expect({ won: successesIn(answers).length, lost: refusalsIn(answers).length }).toEqual({ won: 1, lost: AT_ONCE - 1 });
  expect(refusalsIn([await refresh(successesIn(answers)[0]?.body.refresh_token)])).toHaveLength(1);
}

describe('§5.3 Of ten concurrent token requests', () => {
  test('with one code one succeeds, and its tokens cannot be renewed', async () => {
    const stage = await service();
    const account = await member(stage, 'guest');
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code, proof } = await authorize(stage, { account, scopes });
      await expectOneAndNoFamily(await atOnce(() => redeem(code, proof.verifier)));
    }
  });

  test('with one refresh token one succeeds, and its tokens cannot be renewed', async () => {
    const stage = await service();
    const account = await member(stage, 'guest');
    for (let round = 0; round < ROUNDS; round += 1) {
      const { refreshToken } = await login(stage, { account, scopes });
      await expectOneAndNoFamily(await atOnce(() => refresh(refreshToken)));
    }
  });
});
