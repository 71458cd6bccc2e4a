import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { logLines, service } from '#test/harness/service.ts';
import { signedIn, visitor } from '#test/harness/visitor.ts';
import { declared, isInside } from './page-world.ts';

/** Each literal prefix of a declared page, filled with the ids of this organization. */
function listPrefixes(ids: { readonly organizationId: string; readonly projectId: string }): string[] {
  const fill = (segment: string) =>
    ({ '{organizationId}': ids.organizationId, '{projectId}': ids.projectId })[segment] ?? segment;
  const prefixes = declared.filter(isInside).flatMap(({ path }) => {
    const segments = path.split('/').slice(1).map(fill);
    const known = segments.findIndex((segment) => segment.startsWith('{'));
    const literals = known < 0 ? segments : segments.slice(0, known);
    return literals.map((_, index) => `/${literals.slice(0, index + 1).join('/')}`);
  });
  return [...new Set(prefixes)];
}

describe('An unknown path', () => {
  test('The page for unknown addresses answers below each literal prefix of the pages, for links and for forms', async () => {
    const here = await service();
    const member = await signedIn(here, 'member');
    const prefixes = listPrefixes(here);
    expect(prefixes.length).toBeGreaterThan(40);
    for (const prefix of prefixes) {
      const address = `${prefix}/no/such-page`;
      for (const shown of [await member.get(address), await member.post(address, {})]) {
        expect([address, shown.status, shown.headers.get('content-type')]).toEqual([
          address,
          404,
          'text/html; charset=utf-8',
        ]);
      }
    }
  });

  test('A stranger is led to the sign-in page, and a form from another site is refused', async () => {
    const here = await service();
    const address = `/${here.organizationId}/${here.projectId}/no/such-page`;
    const stranger = await visitor(here.origin).get(address);
    expect([stranger.status, stranger.headers.get('location')]).toEqual([303, expect.stringContaining('/sign-in?')]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' };
    expect((await fetch(here.origin + address, { method: 'POST', headers, body: 'a=1' })).status).toBe(403);
  });
});

describe('The log', () => {
  const RequestLine = z.object({ message: z.literal('request'), operationId: z.string() });

  test('The log line of a request names the declared page, also if its function found the page by the path', async () => {
    const here = await service();
    const member = await signedIn(here, 'member');
    const before = logLines.length;
    await member.get(`/${here.organizationId}/${here.projectId}/spec-files`);
    const requests = logLines.slice(before).flatMap((line) => RequestLine.safeParse(JSON.parse(line)).data ?? []);
    expect(requests.map(({ operationId }) => operationId)).toEqual(['showSpecFiles']);
  });
});

describe('A page for other roles', () => {
  test('The refusal names the roles that may open the page and the own one, and leads back and to the members', async () => {
    const here = await service();
    const guest = await signedIn(here, 'guest');
    const organization = `/${here.organizationId}`;
    const project = `${organization}/${here.projectId}`;
    const rule = await guest.get(`${project}/actions/new`);
    expect(rule.status).toBe(403);
    expect(rule.text).toContain('This needs the role Admin or Actions Admin, and yours is Guest.');
    expect(rule.links).toEqual(expect.arrayContaining([`${project}/runs`, `${organization}/settings/members`]));
    const directory = await guest.get(`${organization}/settings/directory`);
    expect(directory.text).toContain('This needs the role Admin, and yours is Guest.');
  });
});
