import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { OPERATOR } from '#shared/access/actor.ts';
import { ROLE_MEANINGS } from '#shared/access/role-meanings.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { GUIDES as DECLARED } from '#shared/pages/docs/guides.ts';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import { sampled } from '#test/harness/cases.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { attribute, textOf } from '#test/harness/elements.ts';
import { service } from '#test/harness/service.ts';
import { signedIn, visitor } from '#test/harness/visitor.ts';
import { asSettings, FINE, see } from './seen.ts';

const GUIDES = Object.keys(DECLARED);
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
});

async function opened() {
  const here = await service();
  const stranger = visitor(here.origin);
  const { elements } = await stranger.get('/docs');
  const links = elements.flatMap((element) => attribute(element, 'href') ?? []);
  return { ...here, stranger, areas: links.filter((link) => link.includes('/docs/reference/')) };
}

describe('The documentation', () => {
  test('contains every operation of the OpenAPI document, and is public', async () => {
    const { stranger, anonymous, areas } = await opened();
    const { paths } = Document.parse((await anonymous.get('/docs/openapi.json')).body);
    const wanted = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const shown = await Promise.all(
      areas.map(async (area) => {
        const { status, elements } = await stranger.get(area);
        expect({ area, status }).toEqual({ area, status: 200 });
        return elements.flatMap((element) => attribute(element, 'id') ?? []);
      }),
    );
    expect(wanted.length).toBeGreaterThan(60);
    expect(new Set(shown.flat())).toEqual(expect.toSatisfy((ids: Set<string>) => wanted.every((id) => ids.has(id))));
  });

  test('shows its commands with the address of the service and the id of the project that a signed-in person chooses', async () => {
    const here = await opened();
    const other = await createProject(here.services, { ...here, name: 'Other', actor: OPERATOR });
    const member = await signedIn(here, 'member');
    for (const projectId of [here.projectId, other.projectId]) {
      const guide = await member.get(`/docs/reporters?project=${projectId}`);
      expect(guide.text).toContain(`export RUNDOWN_DSN=${here.origin.replace('//', '//<key>@')}/${projectId}`);
      const reference = await member.get(`/docs/reference/projects?project=${projectId}`);
      expect(reference.text).toContain(`curl '${here.origin}/v1/projects/${projectId}'`);
    }
    const { text } = await here.stranger.get(`/docs/reporters?project=${other.projectId}`);
    expect(text).toContain('Sign in to see the commands');
    expect(text).not.toContain(other.projectId);
  });

  test('fills its commands with a project that exists, and offers no deleted one', async () => {
    const here = await opened();
    const other = await createProject(here.services, { ...here, name: 'Other', actor: OPERATOR });
    const member = await signedIn(here, 'member');
    await here.api.send('DELETE', `/projects/${other.projectId}`);
    for (const query of ['', `?project=${other.projectId}`]) {
      const { html } = await member.get(`/docs/api${query}`);
      expect(html).not.toContain(other.projectId);
      expect(html).toContain(`PROJECT=${here.projectId}`);
    }
  });

  test('is opened from the pages of a project with the values of this project', async () => {
    const here = await opened();
    const { links } = await (await signedIn(here, 'member')).get(`/${here.organizationId}/${here.projectId}/runs`);
    expect(links).toContain(`/docs?project=${here.projectId}`);
  });

  test('begins the guide to the API with the way to a key, a request and its answer, and needs no file of the repository', async () => {
    const here = await opened();
    const { text, links } = await (await signedIn(here, 'admin')).get('/docs/api');
    expect(links).toContain(`/${here.organizationId}/settings/api-keys`);
    const beginning = text.slice(text.indexOf('An Admin creates a key'), text.indexOf('The commands below'));
    expect(beginning).toContain('export RUNDOWN_API_KEY=<key>');
    expect(beginning).toContain(`curl -sf -H "Authorization: Bearer $RUNDOWN_API_KEY" "${here.origin}/v1/projects"`);
    expect(beginning).toContain('"status": "OK"');
    expect(text).not.toMatch(/README\.md|npm start|npm run (?!client)(?!admin)/);
  });

  test.each([...GUIDES, 'reference/runs'])('has a button to copy each block of code of the page %s', async (name) => {
    const { stranger } = await opened();
    const { elements } = await stranger.get(`/docs/${name}`);
    const blocks = elements.filter(({ nodeName }) => nodeName === 'pre').map(textOf);
    expect(elements.flatMap((element) => attribute(element, 'data-copy') ?? [])).toEqual(blocks);
  });

  test.each(Object.entries(DECLARED))(
    'has the guide %s under the title by which it is listed',
    async (name, { title }) => {
      const { stranger } = await opened();
      const { elements } = await stranger.get(`/docs/${name}`);
      expect(elements.filter(({ nodeName }) => nodeName === 'h1').map(textOf)).toEqual([title]);
    },
  );

  test('finds sections of guides and operations by their words, and lists all operations on one page', async () => {
    const { stranger } = await opened();
    const found = await stranger.get('/docs?q=rules+vitest');
    expect(found.links).toContainEqual(expect.stringMatching(/^\/docs\/reporters#/));
    const operations = await stranger.get('/docs?q=run+cancel');
    expect(operations.links).toContain('/docs/reference/runs#cancelRun');
    expect((await stranger.get('/docs?q=run+cancel+-github')).links).not.toContain(
      '/docs/reference/runs#cancelGithubRun',
    );
    expect((await stranger.get('/docs?q=nowhere-to-be-found')).text).toContain('Nothing found');
    const reference = await stranger.get('/docs/reference');
    expect(reference.links).toContain('/docs/reference/runs#cancelRun');
    expect(reference.html).toContain('aria-label="Search the documentation"');
  });

  test('says what each role may do in the words of the form that gives it, and is found by the word viewer', async () => {
    const { stranger } = await opened();
    expect((await stranger.get('/docs?q=viewer')).links).toContain('/docs/api#roles');
    const { text } = await stranger.get('/docs/api');
    for (const role of ROLES) expect(text).toMatch(new RegExp(`${getRoleName(role)}\\s*${ROLE_MEANINGS[role]}`));
  });

  test('links to the licenses of the packages that the service contains', async () => {
    const { stranger, origin } = await opened();
    const { elements } = await stranger.get('/docs');
    const links = elements.flatMap((element) => attribute(element, 'href') ?? []);
    const notices = await fetch(origin + links.find((link) => link.includes('third-party-notices')));
    expect([notices.status, notices.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await notices.text()).toMatch(/^zod [\d.]+ \(MIT\)$/m);
  });

  test('never shows a project of an organization that the person does not belong to', async () => {
    const here = await opened();
    const foreign = await service();
    const member = await signedIn(here, 'member');
    const { html } = await member.get(`/docs/reporters?project=${foreign.projectId}`);
    expect(html).not.toContain(foreign.projectId);
    expect(html).toContain(here.projectId);
  });

  test.each(GUIDES)('replaces all placeholders in the guide %s', async (name) => {
    const here = await opened();
    const { text, status } = await (await signedIn(here, 'guest')).get(`/docs/${name}`);
    expect(status).toBe(200);
    for (const placeholder of [
      '<recordUrl>',
      '<dsn>',
      '<organization id>',
      '<project id>',
      '$(setting',
      'example.com/client',
    ])
      expect({ placeholder, isShown: text.includes(placeholder) }).toEqual({ placeholder, isShown: false });
  });

  test.each(['nothing', 'reference/nothing', 'reporters/more', '__proto__', 'reference/constructor'])(
    'answers 404 for the unknown page %s',
    async (name) => {
      const { stranger } = await opened();
      expect((await stranger.get(`/docs/${name}`)).status).toBe(404);
    },
  );
});

describeInChromium('The documentation in a browser', () => {
  test('is accessible and loads nothing from other origins, in each of its guides and parts', async () => {
    const { areas, origin, services, ...here } = await opened();
    const member = await signedIn({ ...here, origin, services }, 'member');
    const guides = ['/docs?q=rules', ...GUIDES.map((name) => `/docs/${name}`), '/docs/reference'];
    const context = await profile(origin, member, asSettings({ theme: 'dark', width: 390 }));
    // All parts of the reference are made by the same components.
    for (const path of [...guides, ...sampled(areas, areas.length, 0)])
      expect(await see(context, path, services.artifacts.origin), path).toEqual({ ...FINE, status: 200 });
  });
});
