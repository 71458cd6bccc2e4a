/** Uses the deployment as applications, agents, and CI jobs without a reporter do. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { Account } from './recording.ts';

/**
 * The parts of the OAuth metadata that are checked. URLs are not checked, because their paths contain the name of the
 * stage if the deployment has no domain of its own.
 */
const Metadata = z.object({ issuer: z.string(), code_challenge_methods_supported: z.tuple([z.literal('S256')]) });
const Keys = z.object({ keys: z.array(z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), kid: z.string() })) });
const Client = z.object({ client_id: z.string() });

async function json(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, init);
  const text = await response.text();
  assert.ok(response.ok, `${init.method ?? 'GET'} ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/**
 * Checks the authorization server. Its function reads the published key from KMS, so the check covers the permissions
 * of the function as well.
 */
export async function authorizationServer(origin: string): Promise<void> {
  Metadata.parse(await json(`${origin}/.well-known/oauth-authorization-server`));
  const { keys } = Keys.parse(await json(`${origin}/api/auth/oauth2/jwks`));
  assert.equal(keys.length, 1, 'The authorization server must publish exactly one key');
  const registration = { redirect_uris: ['http://127.0.0.1/callback'], client_name: 'deployed' };
  Client.parse(
    await json(`${origin}/api/auth/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(registration),
    }),
  );
}

const Called = z.object({ result: z.object({ content: z.array(z.object({ text: z.string() })) }) });

/** Calls the MCP tool that lists the projects, as an agent does. */
export async function callTool(origin: string, { recordKey, projectId }: Account): Promise<void> {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${recordKey}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, `POST /mcp: ${text}`);
  const message = /^data: (.+)$/m.exec(text)?.[1] ?? text;
  const [content] = Called.parse(JSON.parse(message)).result.content;
  assert.ok(content?.text.includes(projectId), `list_projects: ${content?.text}`);
}

const IMPORT_SECONDS = 60;
/** The number of tests in the large report. A report with so many tests is imported through the queue. */
const QUEUED_TESTS = 600;
const Import = z.object({ data: z.looseObject({ importId: z.string(), state: z.string() }) });

/** Imports a small report in one request, and a large one through the queue. Returns the ids of their builds. */
export async function importReports(baseUrl: string, account: Account): Promise<string[]> {
  const builds = [`small-${Date.now()}`, `large-${Date.now()}`] as const;
  const small = await send(baseUrl, account, { ciBuildId: builds[0], tests: 3 });
  assert.equal(small.state, 'recorded', JSON.stringify(small));
  let large = await send(baseUrl, account, { ciBuildId: builds[1], tests: QUEUED_TESTS });
  const deadline = Date.now() + IMPORT_SECONDS * 1000;
  while (large.state !== 'recorded' && Date.now() < deadline) {
    await wait(500);
    const headers = { authorization: `Bearer ${account.recordKey}` };
    large = Import.parse(await json(`${baseUrl}/imports/${large.importId}`, { headers })).data;
  }
  assert.equal(large.state, 'recorded', JSON.stringify(large));
  return [...builds];
}

async function send(
  baseUrl: string,
  { projectId, recordKey }: Account,
  { ciBuildId, tests }: { readonly ciBuildId: string; readonly tests: number },
) {
  const cases = Array.from(
    { length: tests },
    (_, index) => `<testcase classname="cart" name="test ${index}" time="1"/>`,
  );
  const answer = await json(`${baseUrl}/projects/${projectId}/imports?${new URLSearchParams({ ciBuildId })}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${recordKey}`, 'content-type': 'application/xml' },
    body: `<testsuite name="cart" file="cart.xml">${cases.join('')}</testsuite>`,
  });
  return Import.parse(answer).data;
}
