import { expect, test } from 'vitest';
import { type Answer, client } from '#test/harness/client.ts';
import { login, REDIRECT_URI } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, issueOwnTokens, service, throttleRequests } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

issueOwnTokens();
throttleRequests();

const DAY_SECONDS = 24 * 3600;
const BURST = 5;

const register = (origin: string) =>
  client(origin).send('POST', '@/api/auth/oauth2/register', JSON.stringify({ redirect_uris: [REDIRECT_URI] }), {
    headers: { 'content-type': 'application/json' },
  });

test('In a flood of 1,000 client registrations, the rate limit accepts five, and each client expires 90 days after its last use', async () => {
  const stage = await service();
  const clientRows = () => itemsOf(stage.environment, ({ pk }) => String(pk).startsWith('OAUTH#Client#'));
  const answers: Answer[] = [];
  for (let round = 0; round < 50; round += 1) {
    const some = Array.from({ length: 20 }, () => register(stage.origin));
    answers.push(...(await Promise.all(some)));
  }
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].every((status) => status === 201 || status === 429)).toBe(true);
  const rows = await clientRows();
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(BURST);
  expect(rows).toHaveLength(BURST);
  const now = Math.floor(Date.now() / 1000);
  for (const { expiresAt } of rows) expect(expiresAt).toBe(now + 90 * DAY_SECONDS);
  const [first] = made;
  clock.advance(80 * DAY_SECONDS * 1000);
  const account = await member(stage, 'member');
  await login(stage, { account, scopes: ['results:read'], clientId: first?.body.client_id });
  const ends = (await clientRows()).map(({ expiresAt }) => Number(expiresAt));
  expect(Math.max(...ends)).toBe(Math.floor(Date.now() / 1000) + 90 * DAY_SECONDS);
});
