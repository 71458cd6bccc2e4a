import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, COMMIT, error, failed, flaky, passed, pending } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { createRule } from '#test/harness/rules.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { fillIn } from './form-of.ts';
import { place } from './webhook-stage.ts';

const PAYS = 'pay.spec.ts > pays';
const INVOICE = 'pay.spec.ts > pays by invoice';

async function stage() {
  const here = await service();
  const page = `/${here.organizationId}/${here.projectId}/actions`;
  const listed = async (): Promise<{ actionId: string }[]> =>
    (await here.reader.get(`/actions?projectId=${here.projectId}`)).body.data;
  return { ...here, page, listed, editor: await signedIn(here, 'actionsAdmin') };
}

const doneCookieOf = ({ headers }: { readonly headers: Headers }): string =>
  /__Host-rundown-done=\w+/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';

const testsOf = async ({ reader, projectId }: Pick<Tenant, 'reader' | 'projectId'>) =>
  (await reader.get(`/tests/${projectId}?date_start=2026-11-01&date_end=2026-11-30`)).body.data.list;

const RULE = { name: 'Known <b>', action: 'quarantine', type_1: 'title', operator_1: 'eq', value_1: '/^pays$/' };
const asQuery = (values: Readonly<Record<string, string>>): string => `${new URLSearchParams(values)}`;

describe('§4.4.11 A rule', () => {
  test('A rule can be created by an Actions Admin, who is then redirected to its page, and expires in two weeks by default', async () => {
    const { editor, page, listed } = await stage();
    const created = await fillIn(editor, `${page}/new`, { ...RULE, type_2: 'tag', operator_2: 'in', value_2: 'a\nb' });
    const [rule] = await listed();
    expect([created.status, place(created)]).toEqual([303, `${page}/${rule?.actionId}`]);
    expect(rule).toMatchObject({
      name: 'Known <b>',
      action: [{ op: 'quarantine' }],
      matcher: {
        op: 'AND',
        cond: [
          { type: 'title', op: 'eq', value: { type: 'RegexPattern', pattern: '^pays$' } },
          { type: 'tag', op: 'in', value: ['a', 'b'] },
        ],
      },
      expiresAfter: '2026-11-16T23:59:59.000Z',
      createdBy: expect.stringMatching(/^user:/),
    });
    const shown = await editor.get(`${page}/${rule?.actionId}`);
    expect(shown.text).toContain('Known <b>');
    expect(shown.text).toContain('title matches /^pays$/');
    expect(shown.text).toContain(
      'Failures of the tests that match the conditions below do not fail runs until 16 Nov 2026',
    );
    expect((await editor.get(page)).links).toContain(`${page}/${rule?.actionId}`);
  });

  test('A rule that is refused shows each problem in the words of its form, at its field, and adds no empty condition', async () => {
    const { editor, page, listed } = await stage();
    const wrong = { ...RULE, action: 'tag', tags: '', value_1: '/(unclosed/' };
    const refused = await fillIn(editor, `${page}/new`, wrong);
    expect(refused.status).toBe(400);
    for (const [field, text] of [
      ['tags', 'Tags: enter at least one tag'],
      ['value_1', 'Condition 1 is not a valid JavaScript regular expression'],
    ]) {
      expect(refused.html).toContain(`<a href="#field-${field}">${text}`);
      expect(refused.html).toContain(`<small id="field-${field}-problem" class="problem-text">${text}`);
      expect(refused.html).toMatch(new RegExp(`id="field-${field}"[^>]*aria-invalid="true"`));
    }
    expect(refused.text).not.toMatch(/`|details|matcher|Condition 2/);
    const late = await fillIn(editor, `${page}/new`, { ...RULE, expires: '2020-01-01' });
    expect(late.html).toContain('<a href="#field-expires">Expires must be in the future');
    expect((await editor.get(`${page}/new?${asQuery({ ...RULE, show: 'more' })}`)).text).toContain('Condition 2');
    expect(await listed()).toEqual([]);
  });

  test('The page of a rule says in one sentence what it does and for how long, and extends it', async () => {
    const { editor, page, listed } = await stage();
    const quarantine = {
      ...RULE,
      type_1: 'file',
      value_1: '/^pay\\.spec\\.ts$/',
      type_2: 'title',
      operator_2: 'eq',
      value_2: '/^pays$/',
    };
    await fillIn(editor, `${page}/new`, quarantine);
    const [rule] = await listed();
    const ofRule = `${page}/${rule?.actionId}`;
    expect((await editor.get(ofRule)).text).toContain(
      'Failures of pays in pay.spec.ts do not fail runs until 16 Nov 2026, 14 days left.',
    );
    const extended = await editor.post(`${ofRule}/status`, { status: 'extended' });
    expect([extended.status, place(extended)]).toEqual([303, ofRule]);
    const shown = await editor.get(ofRule, { cookie: `${editor.cookie}; ${doneCookieOf(extended)}` });
    expect(shown.text).toContain('until 30 Nov 2026, 28 days left.');
    expect(shown.text).toContain('The rule is extended.');
    expect(shown.headers.get('set-cookie')).toContain('__Host-rundown-done=;');
    expect((await editor.get(ofRule)).text).not.toContain('The rule is extended.');
    const forged = await editor.get(ofRule, { cookie: `${editor.cookie}; __Host-rundown-done=toString` });
    expect(forged.html).not.toContain('id="said"');
  });

  test('The page of a rule that no run has read says so, with the lines to add, until a run applies it', async () => {
    const { editor, page, listed, ...here } = await stage();
    await fillIn(editor, `${page}/new`, RULE);
    const [rule] = await listed();
    const textOfRule = async () => (await editor.get(`${page}/${rule?.actionId}`)).text;
    const notice = 'No run has applied this rule yet';
    expect(await textOfRule()).not.toContain(notice);
    expect(await textOfRule()).toMatch(/since this rule was created\.\s*This project has no runs yet/);
    clock.advance(60_000);
    await uploadRun(here, { [PAYS]: passed() });
    expect(await textOfRule()).toContain(notice);
    expect(await textOfRule()).toContain("reporter: [['list'], ['rundown-cli/playwright']],");
    expect(await textOfRule()).toContain("import { fixtures } from 'rundown-cli/playwright-fixtures';");
    clock.advance(60_000);
    await uploadRun(
      here,
      {
        [PAYS]: pending({
          annotations: marksOf({ actionId: rule?.actionId ?? '', type: 'quarantine', applied: true }),
        }),
      },
      { ciBuildId: 'later' },
    );
    await compileRuns(here);
    expect(await textOfRule()).not.toContain(notice);
  });

  test('The form for a rule, the page of a new rule and the list say whether a run of the project has applied a rule', async () => {
    const { editor, page, listed, ...here } = await stage();
    await uploadRun(here, { [PAYS]: failed() });
    await fillIn(editor, `${page}/new`, RULE);
    const [first] = await listed();
    const pages = [`${page}/new`, page, `${page}/${first?.actionId}`];
    const textsOf = (addresses: readonly string[]) =>
      Promise.all(addresses.map(async (one) => (await editor.get(one)).text));
    for (const text of await textsOf(pages)) {
      expect(text).toContain('No run of this project has applied a rule yet.');
      expect(text).toContain("reporter: [['list'], ['rundown-cli/playwright']],");
    }
    for (const text of await textsOf(pages.slice(1))) expect(text).toContain('not applied yet');
    clock.advance(60_000);
    const mark = { annotations: marksOf({ actionId: first?.actionId ?? '', type: 'quarantine', applied: true }) };
    await uploadRun(here, { [PAYS]: pending(mark) }, { ciBuildId: 'later' });
    await compileRuns(here);
    clock.advance(60_000);
    await fillIn(editor, `${page}/new`, { ...RULE, name: 'Second' });
    const second = (await listed()).find(({ actionId }) => actionId !== first?.actionId);
    const [form, list, ofFirst, ofSecond] = await textsOf([...pages, `${page}/${second?.actionId}`]);
    const proof = 'The suite of this project reads rules: a run last applied one on';
    expect(form).toContain(proof);
    expect(ofSecond).toContain('No run has been recorded since this rule was created.');
    expect(ofSecond).toContain(proof);
    for (const text of [list, ofFirst]) expect(text).not.toMatch(/applied a rule yet|not applied yet/);
  });

  test('The page of a new rule says so if the reporter of the newest run reads no rules, and names the command with which a report is quarantined', async () => {
    const { editor, page, listed, ...here } = await stage();
    await uploadRun(here, { [PAYS]: passed() }, { framework: { type: 'cypress', version: null, clientVersion: null } });
    await fillIn(editor, `${page}/new`, RULE);
    const [rule] = await listed();
    const { text } = await editor.get(`${page}/${rule?.actionId}`);
    expect(text).toContain('the reporter of its newest run, of cypress, reads none.');
    expect(text).toContain('rundown run --report report.xml -- pytest');
  });

  test('A rule is created once even if its form is sent several times concurrently', async () => {
    const { editor, page, listed } = await stage();
    const form = await editor.get(`${page}/new`);
    const formId = /name="formId" value="(\w+)"/.exec(form.html)?.[1] ?? '';
    const answers = await Promise.all([1, 2, 3, 4].map(() => editor.post(`${page}/new`, { ...RULE, formId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409]);
    expect(await listed()).toHaveLength(1);
  });

  test('A rule is not created with a regular expression that test runners would ignore, and the form keeps what was entered', async () => {
    const { editor, page, listed } = await stage();
    const refused = await fillIn(editor, `${page}/new`, { ...RULE, value_1: '/(a+)+/', tags: '"><i>' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('runners ignore it');
    expect(refused.html).toContain('/(a+)+/');
    expect(refused.html).toContain('&quot;&gt;&lt;i&gt;');
    expect(await listed()).toEqual([]);
  });

  test('A rule can be changed, disabled, enabled and archived', async () => {
    const { editor, page, listed } = await stage();
    await fillIn(editor, `${page}/new`, RULE);
    const [{ actionId } = { actionId: '' }] = await listed();
    const rulePage = `${page}/${actionId}`;
    expect(place(await fillIn(editor, `${rulePage}/edit`, { name: 'Renamed' }))).toBe(rulePage);
    expect(await listed()).toMatchObject([{ name: 'Renamed', v: 2, expiresAfter: '2026-11-16T23:59:59.000Z' }]);
    await editor.post(`${rulePage}/status`, { status: 'disabled' });
    expect((await editor.get(rulePage)).text).toContain('disabled');
    await editor.post(`${rulePage}/status`, { status: 'enabled' });
    expect(await listed()).toMatchObject([{ status: 'active' }]);
    expect((await editor.get(`${rulePage}/archive`)).text).toContain('Archive the rule Renamed?');
    expect(place(await editor.post(`${rulePage}/archive`))).toBe(page);
    expect((await editor.get(page)).text).toContain('No rules');
    expect((await editor.get(`${page}?status[]=archived`)).text).toContain('Renamed');
  });

  test('The pages of a rule of another organization, and the forms that change its status or archive it, return 404', async () => {
    const { editor, page, ...here } = await stage();
    const neighbour = await here.tenant('Neighbour');
    const rulePage = `${page}/${(await createRule(neighbour)).actionId}`;
    for (const path of [rulePage, `${rulePage}/edit`, `${rulePage}/archive`])
      expect((await editor.get(path)).status).toBe(404);
    expect((await editor.post(`${rulePage}/status`, { status: 'disabled' })).status).toBe(404);
    expect((await editor.post(`${rulePage}/archive`)).status).toBe(404);
  });
});

describe('The preview of a rule', () => {
  async function recorded() {
    const here = await stage();
    await uploadRun(here, { [PAYS]: failed(), [INVOICE]: passed() });
    await compileRuns(here);
    const preview = async (values: Readonly<Record<string, string>>, editor = here.editor) =>
      (await editor.get(`${here.page}/new?${asQuery({ ...RULE, show: 'preview', ...values })}`)).text;
    return { ...here, preview };
  }

  let shared: ReturnType<typeof recorded> | undefined;
  /** The tests that change nothing share one project. */
  const sharedRecorded = () => (shared ??= recorded());

  test('lists the matching tests of the last 14 days, and saves nothing', async () => {
    const { preview, listed, ...here } = await sharedRecorded();
    expect(await preview({})).toContain('1 test of the last 14 days matches.pays pay.spec.ts');
    expect(await preview({ value_1: 'pays' })).toContain('2 tests of the last 14 days match.');
    expect(await preview({ value_1: 'nothing' })).toContain('No test of the last 14 days matches.');
    expect(await listed()).toEqual([]);
    clock.advance(15 * 24 * 3_600_000);
    const later = await signedIn(here, 'actionsAdmin');
    expect(await preview({ value_1: 'pays' }, later)).toContain('No test of the last 14 days matches.');
  });

  test.each([
    [{ type_1: 'git_branch', value_1: 'main' }, '2 tests'],
    [{ type_1: 'project', value_1: 'retail' }, '2 tests'],
    [{ type_1: 'project', value_1: 'wholesale' }, 'No test'],
    [{ type_1: 'error_message', value_1: 'expected 2' }, '1 test'],
    [{ type_2: 'git_authorName', operator_2: 'neq', value_2: 'Alex' }, 'No test'],
  ])('counts the tests with recorded executions that match the condition %j', async (values, expected) => {
    const { preview } = await sharedRecorded();
    expect(await preview(values)).toContain(`${expected} of the last 14 days`);
  });

  test.each(['expected 4', 'found 5'])(
    'matches all errors of an execution without their color codes, as runners do: %s',
    async (value) => {
      const here = await recorded();
      const errors = [error('Error: \u001b[31mexpec\u001b[39mted 4'), error('Error: found \u001b[1m5')];
      await uploadRun(
        here,
        { 'pay.spec.ts > pays in color': failed({ attempts: [attempt('failed', { errors })] }) },
        { ciBuildId: 'colored' },
      );
      await compileRuns(here);
      expect(await here.preview({ type_1: 'error_message', value_1: value })).toContain(
        '1 test of the last 14 days matches.pays in color',
      );
    },
  );

  test('aborts a regular expression that takes too long, and explains invalid conditions', async () => {
    const here = await recorded();
    const long = `pay.spec.ts > ${'a'.repeat(60)}!`;
    await uploadRun(here, { [long]: passed() }, { ciBuildId: 'long' });
    await compileRuns(here);
    expect(await here.preview({ value_1: '/^(a|a)+$/' })).toContain('take too long');
    expect(await here.preview({ value_1: '/(/' })).toContain(
      'Condition 1 is not a valid JavaScript regular expression',
    );
    expect(await here.preview({ value_1: '' })).toContain('Add a condition');
  });
});

describe('The page of a run with quarantined tests', () => {
  test('The page of a run lists the quarantined tests that did not pass, but no quarantined tests that passed', async () => {
    const here = await stage();
    await fillIn(here.editor, `${here.page}/new`, RULE);
    const [{ actionId } = { actionId: '' }] = await here.listed();
    const mark = { annotations: marksOf({ actionId, type: 'quarantine', applied: true }) };
    const tests = { [PAYS]: pending(mark), [INVOICE]: passed(mark) };
    const { runId } = await uploadRun(here, tests);
    const shown = await here.editor.get(`/${here.organizationId}/${here.projectId}/runs/${runId}`);
    expect(shown.text).toMatch(
      /1 failure\. Quarantined failures do not fail runs, and are counted as skipped\.\s*pays\s*pay\.spec\.ts/,
    );
    expect(shown.text).toMatch(/Passed\s*1\s*1 quarantined failure(?!,)/);
    expect(shown.text.split('Quarantined failures')[1]).not.toContain('pays by invoice');
    const other = await uploadRun(here, { [PAYS]: passed(mark) }, { ciBuildId: 'other' });
    const green = await here.editor.get(`/${here.organizationId}/${here.projectId}/runs/${other.runId}`);
    expect(green.text).not.toContain('Quarantined');
  });

  test('The page of a failure that a rule quarantined in its run names the rule and its end, also after the rule has ended', async () => {
    const here = await stage();
    await fillIn(here.editor, `${here.page}/new`, RULE);
    const [{ actionId } = { actionId: '' }] = await here.listed();
    const mark = { annotations: marksOf({ actionId, type: 'quarantine', applied: true }) };
    const failure = { ...pending(mark), attempts: [attempt('failed', { errors: [error('No money')] })] };
    const { runId } = await uploadRun(here, { [PAYS]: failure, [INVOICE]: passed(mark) });
    const { links } = await here.editor.get(`/${here.organizationId}/${here.projectId}/runs/${runId}`);
    const ofFailure = links.find((link) => link.includes('/test?')) ?? '';
    const shown = await here.editor.get(ofFailure);
    expect(shown.text).toMatch(
      /Quarantined by the rule Known <b> until 16 Nov 2026, \d\d:59: this failure does not fail the run\./,
    );
    expect(shown.links).toContain(`${here.page}/${actionId}`);
    const guest = await (await signedIn(here, 'guest')).get(ofFailure);
    expect(guest.text).toContain('Quarantined: this failure does not fail the run.');
    await here.editor.post(`${here.page}/${actionId}/archive`, {});
    expect((await here.editor.get(ofFailure)).text).toContain(
      'Quarantined by the rule Known <b>, which has ended since: this failure does not fail the run.',
    );
  });

  test('Every page that offers to quarantine a test leads to the rule instead, once a rule quarantines the test', async () => {
    const here = await stage();
    const htmlUrl = 'https://github.com/example/shop/pull/7';
    const commit = { ...COMMIT, branch: 'change-7', ghaEventData: { htmlUrl, prTitle: 'Change 7' } };
    const { runId } = await uploadRun(here, { [PAYS]: flaky() }, { commit });
    await compileRuns(here);
    const project = `/${here.organizationId}/${here.projectId}`;
    const ofRun = `${project}/runs/${runId}`;
    const before = await here.editor.get(ofRun);
    const ofTest = before.links.find((link) => link.includes('/test?')) ?? '';
    const tests = await here.editor.get(`${project}/tests?min_executions=0`);
    const files = await here.editor.get(`${project}/spec-files`);
    const linkIn = ({ links }: typeof before, part: string) => links.find((link) => link.includes(part)) ?? '';
    const pages = [
      ofRun,
      ofTest,
      `${project}/pulls/7`,
      `${project}/flaky?state[]=flaky&state[]=suspected&state[]=recovered`,
      `${project}/tests?min_executions=0`,
      linkIn(files, '/spec-files/'),
      linkIn(tests, `${project}/tests/`),
    ];
    for (const one of pages) expect((await here.editor.get(one)).html, one).toContain('Quarantine…');
    await fillIn(here.editor, `${here.page}/new`, RULE);
    const [rule] = await here.listed();
    for (const one of pages) {
      const { html, links } = await here.editor.get(one);
      // What stands beside a result of the run does not say that the run applied the rule.
      const isOfRun = [ofRun, ofTest, `${project}/pulls/7`].includes(one);
      expect(html, one).toContain(isOfRun ? 'Quarantined since 2 Nov' : 'Quarantined');
      expect(html, one).not.toContain('Quarantine…');
      expect(links, one).toContain(`${here.page}/${rule?.actionId}`);
    }
    const guest = await (await signedIn(here, 'guest')).get(ofRun);
    expect(guest.links.filter((link) => link.includes('/actions'))).toEqual([]);
  });
});

describe('The page of a test', () => {
  test('links to the form for a new rule that quarantines exactly this test for two weeks', async () => {
    const here = await stage();
    const { editor, listed } = here;
    await uploadRun(here, { [PAYS]: failed(), [INVOICE]: passed() });
    await compileRuns(here);
    const [, broken] = await testsOf(here);
    const shown = await editor.get(`/${here.organizationId}/${here.projectId}/tests/${broken.signature}`);
    const link = shown.links.find((one) => one.includes('/actions/new?')) ?? '';
    const form = await editor.get(link);
    expect(form.text).toContain('1 test of the last 14 days matches.pays pay.spec.ts');
    expect((await fillIn(editor, link, {})).status).toBe(303);
    const [{ actionId } = { actionId: '' }] = await listed();
    expect(await listed()).toMatchObject([{ expiresAfter: '2026-11-16T23:59:59.000Z' }]);
    const [rule] = (await here.api.get(`@/rules/project/${here.projectId}`)).body.rules;
    expect(rule).toMatchObject({ _id: actionId, name: 'Quarantine: pays', action: [{ op: 'quarantine' }] });
    const guest = await signedIn(here, 'guest');
    const seen = await guest.get(`/${here.organizationId}/${here.projectId}/tests/${broken.signature}`);
    expect(seen.links.filter((one) => one.includes('/actions'))).toEqual([]);
  });

  test('says that the test is quarantined, and links to the rule', async () => {
    const here = await stage();
    await fillIn(here.editor, `${here.page}/new`, RULE);
    const [{ actionId } = { actionId: '' }] = await here.listed();
    const quarantined = pending({ annotations: marksOf({ actionId, type: 'quarantine', applied: true }) });
    await uploadRun(here, { [PAYS]: quarantined });
    await compileRuns(here);
    const [row] = await testsOf(here);
    const shown = await here.editor.get(`/${here.organizationId}/${here.projectId}/tests/${row.signature}`);
    expect(shown.text).toMatch(
      /Quarantined by the rule Known <b> until .* Quarantined failures do not fail runs, and are counted as skipped/,
    );
    expect(shown.links).toContain(`${here.page}/${actionId}`);
    expect(shown.text).toMatch(/skipped quarantined/);
    expect((await here.editor.get(`${here.page}/${actionId}`)).text).toMatch(/skipped\s*pays\s*pay\.spec\.ts/);
  });
});
