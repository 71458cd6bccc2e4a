import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { client } from '#test/harness/client.ts';
import { member } from '#test/harness/people.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, pending } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { createRule, RULE } from '#test/harness/rules.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn, signIn, type Visitor } from '#test/harness/visitor.ts';
import { fillIn } from './form-of.ts';
import { place } from './webhook-stage.ts';

const PAYS = 'pay.spec.ts > pays';

/** Creates a rule that quarantines a test. `mark` says whether the latest run applied the rule. */
async function stage({ mark = true, more = {} } = {}) {
  const here = await service();
  const page = `/${here.organizationId}/${here.projectId}/actions`;
  const matcher = { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'pays' }] };
  const body = { name: 'Known <b>', action: [{ op: 'quarantine' }], matcher, ...more };
  const created = await here.api.post(`/actions?projectId=${here.projectId}`, body);
  const { actionId } = created.body.data;
  const state = mark ? pending({ annotations: marksOf({ actionId, type: 'quarantine', applied: true }) }) : failed();
  await uploadRun(here, { [PAYS]: state });
  await compileRuns(here);
  const range = 'date_start=2026-11-01&date_end=2026-11-30';
  const [row] = (await here.reader.get(`/tests/${here.projectId}?${range}`)).body.data.list;
  const ofTest = `/${here.organizationId}/${here.projectId}/tests/${row.signature}`;
  const rule = async () => (await here.reader.get(`/actions/${actionId}`)).body.data;
  const applied = async () => (await here.api.get(`@/rules/project/${here.projectId}`)).body.rules.length;
  return { ...here, page, actionId, ofTest, rule, applied, editor: await signedIn(here, 'actionsAdmin') };
}

/** Presses the button End quarantine on a page: submits its form like a browser without scripts. */
async function press(visitor: Visitor, page: string) {
  const { html } = await visitor.get(page);
  const form = /<form class="actions" method="post" action="([^"]+\/status)">(.*?)<\/form>/s.exec(html);
  const fields = [...(form?.[2] ?? '').matchAll(/name="(\w+)" value="([^"]*)"/g)];
  return visitor.post(form?.[1] ?? '', Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])));
}

const BUTTON = /End quarantine/;

describe('The button End quarantine', () => {
  test('On the page of a test, the button to end a quarantine disables the rule, returns to the page, and leaves an audit record', async () => {
    const { editor, ofTest, rule, applied, ...here } = await stage();
    expect((await editor.get(ofTest)).text).toMatch(/by the rule Known <b>, which never expires. .*End quarantine/);
    expect(place(await press(editor, ofTest))).toBe(ofTest);
    expect(await rule()).toMatchObject({ status: 'disabled', v: 2 });
    expect(await applied()).toBe(0);
    const { text, links } = await editor.get(ofTest);
    expect(text).toContain('Quarantined in its latest execution. The quarantine has ended.');
    expect(text).not.toMatch(BUTTON);
    expect(links.some((link) => link.includes('/actions/new?'))).toBe(true);
    const admin = await signedIn(here, 'admin');
    expect((await admin.get(`/${here.organizationId}/settings/audit`)).text).toContain('rule disabled');
  });

  test('In the list of rules, the button to end a quarantine disables the rule of its row, and returns to the list', async () => {
    const { editor, page, rule } = await stage();
    expect((await editor.get(page)).text).toMatch(BUTTON);
    expect(place(await press(editor, page))).toBe(page);
    expect(await rule()).toMatchObject({ status: 'disabled' });
    const { text } = await editor.get(page);
    expect(text).not.toMatch(BUTTON);
    expect(text).toMatch(/Known <b>\s*quarantine\s*last match 2 Nov 2026, 10:00\s*disabled\s*–/);
  });

  test('The end of a quarantine has the same name on the page of the rule, and the next page says that the rule is disabled', async () => {
    const { editor, page, actionId } = await stage({ mark: false });
    const ofRule = `${page}/${actionId}`;
    expect((await editor.get(ofRule)).text).toMatch(BUTTON);
    const { headers } = await editor.post(`${ofRule}/status`, { status: 'disabled' });
    const done = /__Host-rundown-done=\w+/.exec(headers.get('set-cookie') ?? '')?.[0];
    const { text } = await editor.get(page, { cookie: `${editor.cookie}; ${done}` });
    expect(text).toContain('The rule is disabled. Runs that start from now on do not apply it.');
    expect(text).toContain('No run of this project has applied a rule yet.');
    expect((await editor.get(ofRule)).text).toContain('Enable');
  });

  test('The button to end a quarantine changes the rule only once, even if it is pressed several times', async () => {
    const { editor, page, actionId, rule } = await stage();
    const fields = { status: 'disabled', back: 'rules' };
    const answers = await Promise.all([1, 2, 3].map(() => editor.post(`${page}/${actionId}/status`, fields)));
    expect(answers.map(place)).toEqual([page, page, page]);
    expect(await rule()).toMatchObject({ status: 'disabled', v: 2 });
  });

  test('The button to end a quarantine is shown even before a run has applied the rule, but only to people who may change rules', async () => {
    const { editor, ofTest, page, actionId, rule, ...here } = await stage({ mark: false });
    expect((await editor.get(ofTest)).text).toMatch(BUTTON);
    for (const role of ['member', 'guest'] as const) {
      const visitor = await signedIn(here, role);
      expect((await visitor.get(ofTest)).text).not.toMatch(BUTTON);
      expect((await visitor.post(`${page}/${actionId}/status`, { status: 'disabled' })).status).toBe(403);
    }
    expect((await (await signedIn(here, 'guest')).get(ofTest)).text).not.toContain('Known');
    expect(await rule()).toMatchObject({ status: 'active' });
  });

  test('The button to end a quarantine is missing for rules that skip tests, match other tests, have expired, or match too slowly', async () => {
    const value = { type: 'RegexPattern', pattern: '^(.|s)*x$' };
    const first = await stage({ mark: false, more: { action: [{ op: 'skip' }] } });
    for (const cond of [
      { type: 'title', op: 'eq', value: 'pays by invoice' },
      { type: 'title', op: 'eq', value },
    ]) {
      expect((await first.editor.get(first.ofTest)).text).not.toMatch(BUTTON);
      await createRule(first, { matcher: { op: 'AND', cond: [cond] } });
    }
    expect((await first.editor.get(first.ofTest)).text).not.toMatch(BUTTON);
    const { page, ofTest, ...here } = await stage({ more: { expiresAfter: '2026-11-03T00:00:00.000Z' } });
    clock.advance(3 * 24 * 3_600_000);
    const later = await signedIn(here, 'actionsAdmin');
    for (const one of [ofTest, page]) expect((await later.get(one)).text).not.toMatch(BUTTON);
  });
});

describe('The page of a rule', () => {
  test('names the author of the rule, and names no person if the author is an API key whose label imitates the id of a person', async () => {
    const { page, organizationId, services, ...here } = await stage();
    const person = await member({ ...here, organizationId, services }, 'admin');
    const admin = await signIn({ ...here, organizationId, services }, person);
    const fields = { name: 'Own', action: 'skip', type_1: 'title', operator_1: 'eq', value_1: 'x' };
    const own = place(await fillIn(admin, `${page}/new`, fields)) ?? '';
    expect((await admin.get(own)).text).toContain(`by ${person.name}`);
    const label = `user:${person.accountId}`;
    const key = await createApiKey(services, { organizationId, actor: OPERATOR, label, level: 'readWrite' });
    const body = { ...RULE, name: 'Imitation' };
    const { data } = (await client(here.origin, key.value).post(`/actions?projectId=${here.projectId}`, body)).body;
    expect(data.createdBy).toBe(`api:${label}`);
    expect((await admin.get(`${page}/${data.actionId}`)).text).toContain(`by api:${label}`);
  });
});
