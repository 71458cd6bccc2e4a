import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { monthsOfRequests, requestsOfCredentials, storedBytes } from '#shared/model/usage/usage.ts';
import { changeUsageLimits } from '#shared/organizations/usage-limits.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

/** An organization that has used these parts of its limits in November, and made 3,200 requests in October. */
async function used({ requests, bytes }: { readonly requests: number; readonly bytes: number }) {
  const here = await service();
  const { organizationId, services } = here;
  const limits = { requestsPerMonth: 100_000, storedBytes: 1_000_000 };
  await changeUsageLimits(services, { organizationId, actor: OPERATOR, change: limits });
  const row = { organizationId, month: '2026-11', expiresAt: 2_000_000_000 };
  await services.table.put(monthsOfRequests, { ...row, requests, day1: requests - 640, day2: 640, refused: 96 });
  await services.table.put(monthsOfRequests, { ...row, month: '2026-10', requests: 3200, day31: 3200 });
  await services.table.put(requestsOfCredentials, {
    ...row,
    credentialId: 'k1',
    kind: 'apiKey',
    label: 'nightly <b>',
    requests: requests - 32,
  });
  await services.table.put(requestsOfCredentials, {
    ...row,
    credentialId: 'gone',
    kind: 'accessToken',
    accountId: 'gone',
    requests: 32,
  });
  await services.table.put(storedBytes, { organizationId, balance: bytes });
  const pageOf = async (role: 'admin' | 'member', path: string) => {
    const { get } = await signedIn(here, role);
    const { status, html } = await get(`/${organizationId}${path}`);
    return { status, text: html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ') };
  };
  return { here, pageOf };
}

test('The usage page shows requests and stored files beside their limits, counts refused requests, and lists the busiest credentials first', async () => {
  const { pageOf } = await used({ requests: 40_000, bytes: 123_000 });
  const { status, text } = await pageOf('member', '/settings/usage');
  expect(status).toBe(200);
  for (const shown of [
    /Requests 40,000 40 % of 100,000 until 1 Dec 2026/,
    /Refused requests 96/,
    /12 % of/,
    /nightly &lt;b&gt; 39,968 .*Applications of a former member 32/,
    /1 Nov 39,360 2 Nov 640/,
  ])
    expect(text).toMatch(shown);
  expect(text).not.toContain('npm run admin');
  expect((await pageOf('admin', '/settings/usage')).text).toContain('npm run admin -- organizations limits');
  const before = await pageOf('member', '/settings/usage?month=previous');
  expect(before.text).toMatch(/Requests 3,200 October 2026/);
  expect(before.text).toContain('No requests were counted');
});

test('Admins are warned on the pages of their organization when it has used 80 % of a usage limit, and Members are not', async () => {
  const below = await used({ requests: 79_999, bytes: 799_999 });
  expect((await below.pageOf('admin', '')).text).not.toContain('has used');
  const above = await used({ requests: 80_000, bytes: 1_000_000 });
  for (const path of ['', '/settings/members', '/settings/usage']) {
    const { text } = await above.pageOf('admin', path);
    expect(text).toContain('has used 80 % of its requests for this month.');
    expect(text).toContain('has used 100 % of its storage. Results are recorded without their files.');
    expect((await above.pageOf('member', path)).text).not.toContain('has used');
  }
});
