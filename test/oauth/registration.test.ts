import { describe, expect, test } from 'vitest';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { authorize, REDIRECT_URI, redeem } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';

issueOwnTokens();

const register = (origin: string, metadata: unknown) =>
  client(origin).send('POST', '@/api/auth/oauth2/register', JSON.stringify(metadata), {
    headers: { 'content-type': 'application/json' },
  });

describe('A client registration', () => {
  test('accepts the name and the redirect URIs, and ignores everything else', async () => {
    const { origin } = await service();
    const { status, body } = await register(origin, {
      client_name: 'Tool\u202e of\nmine',
      redirect_uris: [REDIRECT_URI],
      scope: 'results:read',
      jwks_uri: 'http://169.254.169.254/',
      logo_uri: 'http://169.254.169.254/',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['implicit'],
      client_secret: 'x',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_id: expect.any(String),
      client_name: 'Tool<U+202E> of mine',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    });
    for (const name of ['scope', 'jwks_uri', 'logo_uri', 'client_secret', 'registration_access_token'])
      expect(body).not.toHaveProperty(name);
  });

  test.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['http://10.0.0.1/callback'],
    ['http://evil.example/callback'],
    ['https://user:secret@app.example/'],
    ['https://user@app.example/'],
    ['https://@app.example/'],
    ['https://app.example/#x'],
    ['https://app.example/#'],
    ['https://*.app.example/callback'],
    ['https://app.example/*'],
    ['https://app.example\\@evil.example/callback'],
    ['https://app.example\\callback'],
    ['com.example.app:/done\\x'],
    ['https://app.example/call\u0000back'],
    ['https://app.example/call\tback'],
    ['https://app.example/callback\r\n'],
    [' https://app.example/callback'],
    ['https://app.ex\u0430mple/callback'],
    ['https://app.example/a/../callback'],
    ['https:app.example/callback'],
    ['http://2130706433/callback'],
    ['tool:/callback'],
    ['not a URL'],
  ])('is refused if one of its redirect URIs is %j', async (uri) => {
    const { origin } = await service();
    const answer = await register(origin, { redirect_uris: [REDIRECT_URI, uri] });
    attack('OAuth');
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
    expect(answer.body.error_description).toMatch(/^redirect_uris\.1 must /);
  });

  test('stores redirect URIs in the normalized form that browsers use', async () => {
    const { origin } = await service();
    const { body } = await register(origin, {
      redirect_uris: ['HTTPS://APP.Example/Callback?Next=A', 'http://localhost:3000', 'Com.Example.App:/Done'],
    });
    expect(body.redirect_uris).toEqual([
      'https://app.example/Callback?Next=A',
      'http://localhost:3000/',
      'com.example.app:/Done',
    ]);
  });
});

/** The redirect URIs that known clients register, and the redirect URI that each client then uses. */
const CLIENTS: Readonly<Record<string, { readonly registers: readonly string[]; readonly uses: string }>> = {
  'Claude on the web': {
    registers: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    uses: 'https://claude.ai/api/mcp/auth_callback',
  },
  'Claude Code, on another port than it registered': {
    registers: ['http://localhost:54545/callback'],
    uses: 'http://localhost:61234/callback',
  },
  ChatGPT: {
    registers: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    uses: 'https://chatgpt.com/connector_platform_oauth_redirect',
  },
  'Cursor, whose registration names three kinds of addresses': {
    registers: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    uses: 'cursor://anysphere.cursor-mcp/oauth/callback',
  },
  'Cursor before 2026': {
    registers: ['cursor://anysphere.cursor-retrieval/oauth/callback'],
    uses: 'cursor://anysphere.cursor-retrieval/oauth/callback',
  },
  'VS Code on the desktop': {
    registers: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    uses: 'http://127.0.0.1:59656/',
  },
  'VS Code in the browser': {
    registers: ['http://127.0.0.1:33418', 'https://vscode.dev/redirect'],
    uses: 'https://vscode.dev/redirect',
  },
  'VS Code without a path': { registers: ['http://127.0.0.1:33418'], uses: 'http://127.0.0.1:33418' },
  'an extension of VS Code': {
    registers: ['vscode://saoudrizwan.claude-dev/mcp-auth/callback'],
    uses: 'vscode://saoudrizwan.claude-dev/mcp-auth/callback',
  },
  'MCP Inspector': {
    registers: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
    uses: 'http://localhost:6274/oauth/callback/debug',
  },
  Postman: {
    registers: ['https://oauth.pstmn.io/v1/callback', 'https://oauth.pstmn.io/v1/browser-callback'],
    uses: 'https://oauth.pstmn.io/v1/browser-callback',
  },
  Goose: { registers: ['http://127.0.0.1:8456/oauth_callback'], uses: 'http://127.0.0.1:8456/oauth_callback' },
  Codex: {
    registers: ['http://127.0.0.1:63546/callback/6MFBM1In3Ey-'],
    uses: 'http://127.0.0.1:63547/callback/6MFBM1In3Ey-',
  },
  'an editor with a scheme of its own': {
    registers: ['windsurf://codeium.windsurf/callback'],
    uses: 'windsurf://codeium.windsurf/callback',
  },
  Warp: { registers: ['warp://mcp/oauth2callback'], uses: 'warp://mcp/oauth2callback' },
  Raycast: { registers: ['com.raycast:/oauth'], uses: 'com.raycast:/oauth' },
  'a script on a loopback address without a path': {
    registers: ['http://localhost:3000'],
    uses: 'http://localhost:3000',
  },
  'a script that names its host in upper case': {
    registers: ['HTTPS://App.Example:8443/Callback'],
    uses: 'HTTPS://App.Example:8443/Callback',
  },
};

test('each known client can register, receive a code at its redirect URI, and exchange the code for a token', async () => {
  const stage = await service();
  const account = await member(stage, 'member');
  for (const [name, { registers, uses }] of Object.entries(CLIENTS)) {
    const { status, body } = await register(stage.origin, { client_name: name, redirect_uris: registers });
    expect(status, name).toBe(201);
    const signIn = { account, scopes: ['results:read'], clientId: body.client_id, redirectUri: uses };
    const { redirect, code, proof } = await authorize(stage, signIn);
    redirect.search = '';
    expect(redirect.href, name).toBe(new URL(uses).href);
    const sent = { client_id: body.client_id, redirect_uri: uses };
    expect((await redeem(stage, code, proof.verifier, sent)).status, name).toBe(200);
  }
});
