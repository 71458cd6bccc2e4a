import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import type { PageDeclaration } from '#shared/platform/page.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { attack } from '#test/harness/attacks.ts';
import { IS_DEEP, sampled } from '#test/harness/cases.ts';
import { attribute, isWithin, textOf } from '#test/harness/elements.ts';
import { clock, runDeployedBundles, type Tenant } from '#test/harness/service.ts';
import type { Shown } from '#test/harness/visitor.ts';
import { MAY_OPEN } from './page-oracle.ts';
import { declared, documents, forms, isInside, pages, pageWorld, ROLES } from './page-world.ts';

runDeployedBundles();

const isGuarded = ({ needs }: PageDeclaration): boolean => needs !== 'public' && needs !== 'visitor';
const named = (some: readonly PageDeclaration[]) =>
  some.map((one, row) => [`${one.method} ${one.path}`, one, row] as const);

const asksForSignIn = ({ fresh, asksItself }: PageDeclaration): boolean => fresh !== undefined && !asksItself;
const freshPages = pages.filter(asksForSignIn);
const freshForms = forms.filter(asksForSignIn);
const insideOrganization = pages.filter(isInside);

let otherTenant: Promise<Tenant> | undefined;
/** An organization of which no person in these tests is a member. */
const foreign = () => (otherTenant ??= pageWorld().then(({ tenant }) => tenant('Other')));

let another: ReturnType<typeof createProject> | undefined;
/** Another project of the organization. */
const sibling = () =>
  (another ??= pageWorld().then(({ services, organizationId }) =>
    createProject(services, { organizationId, name: 'Other', actor: OPERATOR }),
  ));

/** The shared test data. It already includes the second project, so that it does not change between tests. */
const world = () => sibling().then(pageWorld);
const opened = new Map<PageDeclaration, Promise<Shown>>();
/** The page as an Admin sees it. Tests that only read it share one request. */
function byAdmin(page: PageDeclaration): Promise<Shown> {
  const shown = opened.get(page) ?? world().then(({ as, pathOf }) => as('admin').get(pathOf(page)));
  opened.set(page, shown);
  return shown;
}

/**
 * The roles that may not open the page. `npm test` tries only the strongest of these roles and at most one other, which
 * differs from page to page.
 */
function leftOut({ operationId }: PageDeclaration, row: number): readonly Role[] {
  const [strongest, ...others] = ROLES.filter((role) => !MAY_OPEN[operationId]?.includes(role));
  if (!strongest) return [];
  return [strongest, ...sampled(others, ROLES.length, row)];
}

/**
 * The roles that may open the page. `npm test` tries only Admins and the weakest role, because the tests of links open
 * pages as each role.
 */
function allowed({ operationId }: PageDeclaration): readonly Role[] {
  const all = MAY_OPEN[operationId] ?? [];
  return IS_DEEP ? all : all.filter((role, index) => role === 'admin' || index === all.length - 1);
}

/** The last segments of pages that consist of a form. The form of an import also stands on the page of an empty project. */
const FINAL = /\/(?:archive|cancel|delete|disconnect|erase|leave|remove|reset|revoke)$/;
/** Of these, the button opens the question. */
const ASKED_IN_PLACE = [
  '/{organizationId}/settings/company-sign-in/domains/remove',
  '/{organizationId}/settings/directory/revoke',
  '/{organizationId}/settings/members/{accountId}/remove',
  '/{organizationId}/{projectId}/badges/{badgeId}/revoke',
  '/{organizationId}/{projectId}/shares/{shareId}/revoke',
  '/{organizationId}/{projectId}/trusted-ci/{trustId}/remove',
];
const OF_FORMS = /(?<!imports)\/(?:new|edit|invite|erase|link)$/;

describe('Every page:', () => {
  test.each(named(pages.filter(isGuarded)))(
    '%s redirects signed-out visitors to the sign-in page, and passes its own address as the page to return to',
    async (_, page) => {
      const { stranger, pathOf } = await pageWorld();
      const { status, headers } = await stranger.get(pathOf(page));
      const location = `/sign-in?return_to=${encodeURIComponent(pathOf(page))}`;
      expect({ status, location: headers.get('location') }).toEqual({ status: 303, location });
    },
  );

  test.each(named(freshPages))(
    '%s asks people who signed in more than 25 minutes ago to confirm their identity',
    async (_, page) => {
      const { as, pathOf } = await pageWorld();
      attack('stale sign-ins');
      clock.advance(SIGN_IN_LIMITS.freshPageMilliseconds + 1);
      const { headers } = await as('admin').get(pathOf(page));
      expect(headers.get('location')).toBe(
        `/sign-in/confirm?return_to=${encodeURIComponent(pathOf(page))}&action=${page.operationId}`,
      );
    },
  );

  test.each(named(insideOrganization))(
    '%s opens for exactly the roles in the table of expected access',
    async (_, page, row) => {
      const { as, pathOf } = await pageWorld();
      const asking = [...allowed(page), ...leftOut(page, row)];
      attack('roles', leftOut(page, row).length);
      const open = (role: Role) => (role === 'admin' ? byAdmin(page) : as(role).get(pathOf(page)));
      const seen = await Promise.all(asking.map(async (role) => ((await open(role)).status === 403 ? [] : [role])));
      expect(seen.flat()).toEqual(allowed(page));
    },
  );

  test.each(named(insideOrganization))(
    '%s returns the same 404 to non-members as for an organization that does not exist',
    async (_, page) => {
      const { as, pathOf } = await pageWorld();
      const { organizationId } = await foreign();
      const [other, unknown] = await Promise.all([
        as('admin').get(pathOf(page, { organizationId })),
        as('admin').get(pathOf(page, { organizationId: 'unknown' })),
      ]);
      attack('foreign pages');
      expect(other.status).toBe(404);
      expect(other.html).toBe(unknown.html);
    },
  );

  const ofRuns = insideOrganization.filter(({ path }) => /\{(runId|instanceId)\}/.test(path));
  test.each(named(ofRuns))('%s returns 404 at the address of another project', async (_, page) => {
    const { as, pathOf } = await pageWorld();
    const { projectId } = await sibling();
    const [other, unknown] = await Promise.all([
      as('admin').get(pathOf(page, { projectId })),
      as('admin').get(pathOf(page, { projectId, runId: '0'.repeat(16), instanceId: '0'.repeat(32) })),
    ]);
    attack('foreign pages');
    expect(other.status).toBe(404);
    expect(other.html).toBe(unknown.html);
  });

  test('Each page of an organization says by its breadcrumbs where it is, unless the menu does', async () => {
    const { pathOf } = await world();
    const lost: string[] = [];
    for (const page of documents.filter(isInside)) {
      const { status, elements } = await byAdmin(page);
      // Other pages may ask for a new sign-in first.
      if (status !== 200) continue;
      const [path] = pathOf(page).split('?', 1);
      const isInMenu = elements.some(
        (one) => attribute(one, 'aria-current') === 'page' && attribute(one, 'href') === path,
      );
      // The form of the search is on every page.
      const hasBreadcrumbs =
        page.path.endsWith('/search') || elements.some((one) => attribute(one, 'aria-label') === 'Breadcrumbs');
      if (!isInMenu && !hasBreadcrumbs) lost.push(page.operationId);
    }
    expect(lost).toEqual([]);
  });

  test('Each form that takes something from others for good asks first, on a page of its own or below its button', async () => {
    const addresses = new Set(documents.map(({ path }) => path));
    const isFinal = (one: PageDeclaration) => isInside(one) && FINAL.test(one.path);
    const withoutPage = forms.filter((one) => isFinal(one) && !addresses.has(one.path)).map(({ path }) => path);
    expect(withoutPage.sort()).toEqual(ASKED_IN_PLACE);
    const lost: string[] = [];
    for (const page of documents.filter(isInside)) {
      const { elements } = await byAdmin(page);
      for (const one of elements.filter(({ tagName }) => tagName === 'form')) {
        const action = attribute(one, 'action') ?? '';
        const isQuestion = FINAL.test(page.path);
        if (FINAL.test(action) && !isQuestion && !isWithin(one, 'details')) lost.push(`${page.operationId} ${action}`);
      }
    }
    expect(lost).toEqual([]);
  });

  test('Each page of an organization for creating or changing something has a link to cancel', async () => {
    const lost: string[] = [];
    for (const page of documents.filter((page) => isInside(page) && OF_FORMS.test(page.path))) {
      const { elements } = await byAdmin(page);
      const posts = elements.filter((one) => one.tagName === 'form' && attribute(one, 'method') === 'post');
      const links = elements.filter(({ tagName }) => tagName === 'a').map((link) => textOf(link).trim());
      if (posts.length > 0 && !links.includes('Cancel')) lost.push(page.operationId);
    }
    expect(lost).toEqual([]);
  });

  test('No page calls issue trackers integrations, or a failure that is not new by several words', async () => {
    for (const page of documents.filter(isInside)) {
      const { text } = await byAdmin(page);
      expect([page.operationId, /\bintegrations?\b|already failing|failed before|broken by/i.exec(text)?.[0]]).toEqual([
        page.operationId,
        undefined,
      ]);
    }
  });

  test.each(named(pages))('%s has the security headers, and shared caches must not store it', async (_, page) => {
    const { headers, status } = await byAdmin(page);
    expect(status, 'a fault').toBeLessThan(500);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('vary')).toContain('Cookie');
    expect(headers.get('cache-control')).toMatch(/^(private, no-cache|no-store)$/);
  });

  test.each(named(pages))('%s returns 304 if nothing changed, unless it must not be cached', async (_, page) => {
    const { as, pathOf } = await pageWorld();
    const first = await byAdmin(page);
    const eTag = first.headers.get('etag');
    if (eTag === null) return expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await as('admin').get(pathOf(page), { 'if-none-match': eTag });
    expect({ status: second.status, html: second.html }).toEqual({ status: 304, html: '' });
  });
});

describe('Every form:', () => {
  /**
   * The headers of six kinds of requests that no page of this service sends. `npm test` tries one kind with each form,
   * and each kind with at least one form.
   */
  const SENDERS: readonly Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    {},
  ];

  const rows = forms.map((form, row) => [`${form.method} ${form.path}`, form, sampled(SENDERS, 6, row)] as const);
  test.each(rows)('%s refuses requests that no page of this service sent', async (_, form, senders) => {
    const { as, pathOf } = await pageWorld();
    const answers = await Promise.all(senders.map((headers) => as('admin').post(pathOf(form), {}, headers)));
    attack('forged forms', senders.length);
    expect(answers.map(({ status }) => status)).toEqual(senders.map(() => 403));
  });

  test.each(named(forms.filter(isGuarded)))('%s redirects signed-out visitors', async (_, form) => {
    const { stranger, pathOf } = await pageWorld();
    expect((await stranger.post(pathOf(form))).status).toBe(303);
  });

  test.each(named(freshForms))(
    '%s asks people who signed in more than 30 minutes ago to confirm their identity',
    async (_, form) => {
      const { as, pathOf } = await pageWorld();
      attack('stale sign-ins');
      clock.advance(SIGN_IN_LIMITS.freshMilliseconds + 1);
      const { headers } = await as('admin').post(pathOf(form));
      expect(headers.get('location')).toMatch(/^\/sign-in\/confirm\?return_to=/);
    },
  );

  test.each(named(forms.filter(isInside)))(
    '%s refuses the roles that the table of expected access does not list for it',
    async (_, form, row) => {
      const { as, pathOf } = await pageWorld();
      attack('roles', leftOut(form, row).length);
      for (const role of leftOut(form, row)) expect((await as(role).post(pathOf(form))).status, role).toBe(403);
    },
  );
});

test('The table of expected access lists every page and form of an organization', () => {
  const inside = declared.filter(isInside).map(({ operationId }) => operationId);
  expect(Object.keys(MAY_OPEN).sort()).toEqual(inside.sort());
});
