/**
 * The forms of a deleted project. Which forms are tried follows from the declarations, so a new one that is not refused
 * fails here.
 */
import { parse } from 'parse5';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { deliveries } from '#shared/model/events/delivery.ts';
import type { PageDeclaration } from '#shared/platform/page.ts';
import { deliveryItem } from '#test/engine/http/sample-webhooks.ts';
import { attack } from '#test/harness/attacks.ts';
import { attribute, elementsIn } from '#test/harness/elements.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { valuesOf } from './form-of.ts';
import { documents, forms, pages, pageWorld } from './page-world.ts';

/** Whoever deletes a project may still take away what outsiders and machines could use, and end what is in progress. */
const takesAway = ({ operationId }: PageDeclaration): boolean =>
  /^submit(Archive|Cancel|Delete|Remove|Reset|Restore|Revoke|Unlink)/.test(operationId);

/**
 * The forms of issues need a tracker that answers. They call the same functions as the operations of the API, which
 * `organizations/deleted-projects.test.ts` tries.
 */
const needsTracker = ({ access }: PageDeclaration): boolean => access.trackers !== undefined;

const refused = forms
  .filter(({ path }) => path.startsWith('/{organizationId}/{projectId}/'))
  .filter((form) => !takesAway(form) && !needsTracker(form))
  .map((form) => [form.operationId, form] as const);

const ofProject = documents
  .filter(({ path }) => path.startsWith('/{organizationId}/{projectId}/'))
  .map((page) => [page.operationId, page] as const);
const adding = pages.filter(({ adds }) => adds);

const toPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?#]+')}(?:[?#]|$)`);
const findForms = (action: string): PageDeclaration[] => forms.filter(({ path }) => toPattern(path).test(action));

interface Entered {
  /** What a person enters instead of the values on the page. A form that is refused before needs values here. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Takes away what the form then adds. A deleted project allows this. */
  readonly first?: Readonly<Record<string, string>>;
  readonly at?: Readonly<Record<string, string>>;
  readonly file?: string;
}

const REPORT = '<testsuites><testsuite name="a"><testcase name="b" file="c.test.ts"/></testsuite></testsuites>';
const ENTERED: Readonly<Record<string, Entered>> = {
  submitChannelNotification: {
    at: { kind: 'slack' },
    fields: { of: 'slack', runs: 'all', credential: 'https://hooks.slack.com/services/T0/B0/secret' },
  },
  submitHostNotification: {
    fields: { of: 'github', repository: 'acme/other', apiUrl: '', credential: 'token', sendsStatus: 'true' },
  },
  submitImport: { file: REPORT },
  submitImportLink: { fields: { name: 'report.xml' } },
  submitNewRule: {
    fields: { name: 'Quarantine', action: 'quarantine', type_1: 'title', operator_1: 'eq', value_1: 'a' },
  },
  submitNewWebhook: { fields: { url: 'https://receiver.invalid/new' } },
  submitNotificationEnabled: { first: { enabled: 'false' }, fields: { enabled: 'true' } },
  submitProjectSettings: { fields: { name: 'Another name' } },
  submitRuleChange: { fields: { name: 'Another name' } },
  submitRuleStatus: { first: { status: 'disabled' }, fields: { status: 'enabled' } },
  submitTrustedRepository: { fields: { repository: 'acme/shop' } },
  submitWebhookChange: { fields: { label: 'Another label' } },
  submitWebhookEnabled: { first: { enabled: 'false' }, fields: { enabled: 'true' } },
};

/** Uses the real clock, because the object store checks the age of requests against the real time. */
beforeEach(() => {
  vi.useRealTimers();
});

async function stage() {
  const world = await pageWorld();
  vi.useRealTimers();
  const { projectId, api, pathOf, origin } = world;
  const admin = await signedIn(world, 'admin');
  const sendFile = async (path: string, report: string) => {
    const body = new FormData();
    body.append('report', new Blob([report]), 'report.xml');
    const headers = { cookie: admin.cookie, 'sec-fetch-site': 'same-origin' };
    return fetch(origin + path, { method: 'POST', body, headers, redirect: 'manual' });
  };
  const [{ hookId }] = (await api.get(`/webhooks?projectId=${projectId}`)).body.data;
  const delivery = deliveryItem({ ...world, hookId }, { number: 1, createdAt: Date.now() });
  await world.services.table.put(deliveries, delivery);
  /** Opens the page of the form, which can be submitted later, when the page no longer has it. */
  const open = async (form: PageDeclaration) => {
    const { at, file } = ENTERED[form.operationId] ?? {};
    const path = pathOf(form, { deliveryId: delivery.deliveryId, ...at });
    const page = pages.find(({ operationId }) => operationId === form.page);
    if (!page) throw new Error(`The form ${form.operationId} names no page`);
    const values = valuesOf(await admin.get(pathOf(page, at)));
    return (fields: Entered['fields'] = {}) =>
      file === undefined ? admin.post(path, { ...values, ...fields }) : sendFile(path, file);
  };
  /** The rows change until a report is recorded, also those that the next test compares. */
  const waitForImport = (location: string) =>
    expect.poll(async () => (await admin.get(new URL(location, origin).pathname)).text).toContain('has been recorded');
  return {
    open,
    show: (page: PageDeclaration) => admin.get(pathOf(page)),
    waitForImport,
    remove: () => api.send('DELETE', `/projects/${projectId}`),
    restore: () => api.put(`/projects/${projectId}/restore`),
    lines: () => linesOfOrganization(world),
  };
}

let shared: ReturnType<typeof stage> | undefined;
const shop = () => (shared ??= stage());

describe('In a deleted project', () => {
  test.each(refused)(
    'the form %s gets the answer of an unknown project, and works again after the restoration',
    async (_, form) => {
      const { open, waitForImport, remove, restore, lines } = await shop();
      const { first, fields, file } = ENTERED[form.operationId] ?? {};
      const submit = await open(form);
      await remove();
      if (first) expect((await submit(first)).status).toBeLessThan(400);
      attack('deleted projects');
      const before = await lines();
      expect((await submit(fields)).status).toBe(404);
      expect(await lines()).toEqual(before);
      await restore();
      const { status, headers } = await submit(fields);
      expect(status).toBeLessThan(400);
      if (file !== undefined) await waitForImport(headers.get('location') ?? '');
    },
  );

  test.each(ofProject)('the page %s has neither a form that is refused nor a link to one', async (_, page) => {
    const { show, remove, restore } = await shop();
    await restore();
    if (page.adds) expect((await show(page)).status).toBe(200);
    await remove();
    const shown = await show(page);
    if (page.adds)
      expect([shown.status, shown.text]).toEqual([409, expect.stringContaining('until an Admin restores it')]);
    const offered = elementsIn(parse(shown.html))
      .filter((element) => attribute(element, 'method') === 'post')
      .flatMap((element) => findForms(attribute(element, 'action') ?? ''));
    expect(offered.filter((form) => !takesAway(form) && !ENTERED[form.operationId]?.first)).toEqual([]);
    expect(shown.links.filter((link) => adding.some(({ path }) => toPattern(path).test(link)))).toEqual([]);
    await restore();
  });
});
