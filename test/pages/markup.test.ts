import { HtmlValidate, StaticConfigLoader } from 'html-validate';
import { describe, expect, test } from 'vitest';
import type { PageDeclaration } from '#shared/platform/page.ts';
import { sampled } from '#test/harness/cases.ts';
import { attribute, elementsIn } from '#test/harness/elements.ts';
import { deliverEvents } from '#test/harness/service.ts';
import type { Shown } from '#test/harness/visitor.ts';
import { type Crawl, crawl, type Found } from './crawl.ts';
import { MAY_OPEN } from './page-oracle.ts';
import { documents, isInside, pages, pageWorld, ROLES } from './page-world.ts';

deliverEvents();

/** Resolves the configuration only once, instead of once per page. */
class OneConfig extends StaticConfigLoader {
  private resolved: ReturnType<StaticConfigLoader['getConfigFor']> | undefined;

  override getConfigFor(handle: string): ReturnType<StaticConfigLoader['getConfigFor']> {
    this.resolved ??= super.getConfigFor(handle);
    return this.resolved;
  }
}

const validator = new HtmlValidate(
  new OneConfig({ extends: ['html-validate:standard', 'html-validate:a11y'], root: true }),
);

/**
 * Pages that no crawled page links to: intermediate steps between two pages, pages
 * whose links people pass on, and the page that releases the spec files of a machine that stopped reporting.
 */
const WITHOUT_LINK = [
  'showChooseCompany',
  'showCompanySignIn',
  'showConfirm',
  'showInvitation',
  'showProviderSignIn',
  'showResetRun',
  'showShared',
  'showSignIn',
  'showSignInLink',
];
/** The pages that only Admins find links to, because only Admins have personal tokens. */
const OF_ADMINS = ['showNewToken', 'showRevokeToken'];

const crawls = new Map<string, Promise<Crawl>>();
async function crawlAs(role: (typeof ROLES)[number]): Promise<Crawl> {
  const { as, origin } = await pageWorld();
  // The Admin opens every link that contains a new value, such as a new id. Other roles open only links to new kinds of
  // pages, because they see the same links as an Admin, but on fewer pages.
  const novelty = role === 'admin' ? 'values' : 'kinds';
  const kindOf = (path: string) => pageAt(path) ?? path;
  const known = crawls.get(role) ?? crawl(as(role), { origin, kindOf, novelty });
  crawls.set(role, known);
  return known;
}

const patterns = pages.map((page) => ({
  page,
  pattern: new RegExp(`^${page.path.replaceAll(/\{[^}]+\+\}/g, '.+').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
}));
const fewestIds = (one: PageDeclaration, other: PageDeclaration) =>
  one.path.split('{').length - other.path.split('{').length ||
  Number(one.path.includes('+')) - Number(other.path.includes('+'));
const pageAt = (address: string): string | undefined =>
  patterns
    .filter(({ pattern }) => pattern.test(address.split('?', 1)[0] ?? ''))
    .map(({ page }) => page)
    .toSorted(fewestIds)[0]?.operationId;

const isDocument = ({ shown }: Found): boolean => shown.html.startsWith('<!DOCTYPE');

async function messagesFor(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
  );
}

interface Place {
  readonly organizationId: string;
  readonly projectId: string;
}

describe.each(ROLES)('The links that the role %s sees', (role) => {
  test('The links lead to pages that can be opened, and to fragments that exist', async () => {
    const { all, lost } = await crawlAs(role);
    const broken = [...all.values()].filter(({ shown: { status } }) => status !== 200 && status !== 303);
    expect(broken.map(({ from, address, shown }) => `${from} links to ${address}: ${shown.status}`)).toEqual([]);
    expect(lost).toEqual([]);
  });

  test('The links reach every kind of page that the role may open, except the listed pages that no page links to', async () => {
    const { all } = await crawlAs(role);
    const reached = new Set([...all.keys()].map(pageAt));
    const none = role === 'admin' ? WITHOUT_LINK : [...WITHOUT_LINK, ...OF_ADMINS];
    const expected = documents.filter(
      (page) => !none.includes(page.operationId) && (!isInside(page) || MAY_OPEN[page.operationId]?.includes(role)),
    );
    const missing = expected.filter(({ operationId }) => !reached.has(operationId));
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('The linked pages are valid HTML, their visible buttons submit forms, and their forms have a submit button', async () => {
    const { all } = await crawlAs(role);
    const documents = [...all.values()].filter(isDocument);
    const firsts = [...Map.groupBy(documents, ({ address }) => pageAt(address)).values()].flatMap(([one]) => one ?? []);
    // A page differs little between roles, so `npm test` checks every kind of page as an Admin, but only a sample as
    // each other role.
    const some = new Set([...(role === 'admin' ? firsts : []), ...sampled(documents, 8, 2 * ROLES.indexOf(role))]);
    for (const { shown, address } of some) {
      expect(await messagesFor(shown.html), address).toEqual([]);
      expect(scriptOnly(shown), address).toEqual([]);
    }
  });
});

/** Elements that would need JavaScript: visible buttons that submit no form, and forms without a submit button. */
function scriptOnly({ elements }: Shown): string[] {
  // Browsers open and close popovers without a script.
  const buttons = elements.filter(
    (one) =>
      one.tagName === 'button' && attribute(one, 'type') !== 'submit' && attribute(one, 'popovertarget') === undefined,
  );
  const forms = elements.filter(({ tagName }) => tagName === 'form');
  const mute = forms.filter(
    (form) => !elementsIn(form).some((one) => one.tagName === 'button' && attribute(one, 'type') === 'submit'),
  );
  return [
    ...buttons.filter((one) => attribute(one, 'hidden') === undefined).map(() => 'a visible button without a form'),
    ...mute.map((form) => `the form ${attribute(form, 'action')} without a button`),
  ];
}

describe('An error page', () => {
  const ERRORS = [
    [
      'for an unknown address',
      404,
      'guest',
      ({ organizationId, projectId }: Place) => `/${organizationId}/${projectId}/no/such`,
    ],
    ['for an unknown organization', 404, 'guest', () => '/unknown'],
    [
      'for a page that the role may not open',
      403,
      'guest',
      ({ organizationId }: Place) => `/${organizationId}/settings/audit`,
    ],
    [
      'for an invalid filter',
      400,
      'guest',
      ({ organizationId, projectId }: Place) => `/${organizationId}/${projectId}/runs?limit=999`,
    ],
  ] as const;

  test.each(ERRORS)('The error page %s is valid HTML with status %i', async (_, status, role, path) => {
    const world = await pageWorld();
    const shown = await world.as(role).get(path(world));
    expect(shown.status).toBe(status);
    expect(await messagesFor(shown.html)).toEqual([]);
  });

  test('The error page of a refused form is valid HTML and keeps the form', async () => {
    const { stranger } = await pageWorld();
    const shown = await stranger.post('/sign-in/link', { code: '"><b>' });
    expect(shown.status).toBeGreaterThanOrEqual(400);
    expect(await messagesFor(shown.html)).toEqual([]);
    expect(shown.html).toContain('<form');
  });
});
