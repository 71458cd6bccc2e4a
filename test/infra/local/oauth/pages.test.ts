import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import { attribute, browser, shown } from '#test/harness/browser.ts';
import { authorizationUrl, issuerOrigin, proof, toConsent, toMembers } from '#test/harness/oauth.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

const scopes = ['results:read', 'runs:write'];
const HOSTILE = `</title><script>alert(1)</script><img src=x onerror=alert(1)> & "quoted" 'too' \${7*7} {{7*7}}`;

async function opened() {
  const stage = await service();
  const { challenge } = proof();
  return { stage, by: browser(issuerOrigin()), challenge, url: authorizationUrl(scopes, challenge) };
}

describe('Every page', () => {
  test('shows any name as text', async () => {
    const { by, challenge, ...rest } = await opened();
    const stage = { ...rest.stage, ...(await rest.stage.tenant(HOSTILE)) };
    const account = await createAccount(stage.services, { email: `${crypto.randomUUID()}@x.io`, name: HOSTILE });
    await addMember(stage.services, { ...stage, accountId: account.accountId, role: 'admin', actor: OPERATOR });
    const first = shown(await by.open(authorizationUrl(scopes, challenge)));
    const second = await toMembers(by, stage, authorizationUrl(scopes, challenge));
    const third = await toConsent(by, stage, { account, scopes }, challenge);
    for (const page of [first, second, third]) {
      expect(page.text).toContain(HOSTILE);
      expect(page.elements.map(({ tagName }) => tagName)).not.toContain('script');
      expect(page.elements.map(({ tagName }) => tagName)).not.toContain('img');
      const attributes = page.elements.flatMap(({ attrs }) => attrs.map(({ name }) => name));
      expect(attributes.filter((name) => name.startsWith('on') || name === 'style')).toEqual([]);
    }
  });

  test('shows parameters of a forged address as text', async () => {
    const { by, challenge } = await opened();
    const url = authorizationUrl(scopes, challenge, { client_id: HOSTILE, redirect_uri: HOSTILE, state: HOSTILE });
    expect(shown(await by.open(url)).elements.map(({ tagName }) => tagName)).not.toContain('script');
  });

  test('allows no scripts, resources or frames, and forms only to the issuer and the client', async () => {
    const { stage, by, url, challenge } = await opened();
    const asked = await toConsent(by, stage, { account: await member(stage, 'admin'), scopes }, challenge);
    const missing = shown(await by.open(new URL('/nowhere', url)));
    for (const [{ headers, elements }, form] of [
      [asked, "'self' http://127.0.0.1:51999"],
      [missing, "'self'"],
    ] as const) {
      const policy = headers.get('content-security-policy');
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action /);
      expect(policy).toContain(`; form-action ${form}; base-uri 'none'; frame-ancestors 'none'`);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(elements.filter((element) => attribute(element, 'src') ?? attribute(element, 'onclick'))).toEqual([]);
      expect(
        attribute(elements.find(({ tagName }) => tagName === 'html') ?? missing.elements[0] ?? fail(), 'lang'),
      ).toBe('en');
    }
  });

  test('that does not exist gives advice', async () => {
    const { by, url } = await opened();
    const page = shown(await by.open(new URL('/', url)));
    expect(page).toMatchObject({ status: 404, text: expect.stringContaining('Run "npm run login"') });
  });

  test.each(['127.0.0.1', '[::1]', 'rebound.example.com'])('is served at localhost and not at %s', async (name) => {
    const { url } = await opened();
    expect(await statusFor(url, url.host)).toBe(303);
    expect(await statusFor(url, `${name}:${url.port}`)).toBe(421);
  });
});

function fail(): never {
  throw new Error('There is no such element');
}

/** `fetch` sets the `Host` header itself. */
function statusFor(url: URL, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode));
    asked.on('error', reject).end();
  });
}
