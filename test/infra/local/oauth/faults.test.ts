import { describe, expect, onTestFinished, test } from 'vitest';
import { browser, shown } from '#test/harness/browser.ts';
import { serveIssuer } from '#test/harness/oauth.ts';

/** An issuer whose table cannot be read. */
async function broken() {
  const faults: string[] = [];
  const { issuer, close } = await serveIssuer({
    resource: () => 'http://localhost:4000',
    services: () => Promise.reject(new Error('no table')),
    onFault: (fault) => faults.push(fault),
  });
  onTestFinished(close);
  const url = new URL('/api/auth/oauth2/authorize', issuer);
  const asked = { client_id: 'rundown-cli', redirect_uri: 'http://127.0.0.1/callback', response_type: 'code' };
  const proof = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256', scope: 'results:read' };
  url.search = new URLSearchParams({ ...asked, ...proof }).toString();
  return { faults, page: async () => shown(await browser(issuer).open(url)) };
}

describe('An internal error of the issuer', () => {
  test('is logged with its reason, and shown with advice only', async () => {
    const { faults, page } = await broken();
    const { status, text } = await page();
    expect(status).toBe(500);
    expect(text).toContain('See to it that the service runs there, then reload this page.');
    expect(text).not.toContain('no table');
    expect(faults).toEqual([expect.stringContaining('no table')]);
  });
});
