/** Tests the pages of issue trackers and known issues over HTTP, with fake trackers. */
import { serializeOuter } from 'parse5';
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { deriveIssueId, knownIssues } from '#shared/model/issues/known-issue.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { sampled } from '#test/harness/cases.ts';
import { onBranch } from '#test/harness/comparisons.ts';
import { attribute } from '#test/harness/elements.ts';
import { FAILING, failingRun, SPEC } from '#test/harness/failing-run.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, passed, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import { clock } from '#test/harness/service.ts';
import { TRACKERS } from '#test/harness/trackers/all-trackers.ts';
import { JiraStandIn } from '#test/harness/trackers/jira.ts';
import type { TrackerStandIn } from '#test/harness/trackers/stand-in.ts';
import { type Shown, signedIn, type Visitor } from '#test/harness/visitor.ts';
import { stage as issueStage } from '#test/issues/stage.ts';
import { refusedFields, valuesOf } from './form-of.ts';

const NAMES: Readonly<Record<string, string>> = {
  'Jira Cloud': 'jira-cloud',
  'Jira Data Center': 'jira-data-center',
  GitHub: 'github',
  GitLab: 'gitlab',
  Linear: 'linear',
};

/** The key of the first issue. */
const keyOf = (tracker: TrackerStandIn): string => tracker.issues()[0]?.key ?? '';
const place = ({ headers }: Shown) => headers.get('location') ?? '';
const linkTo = ({ links }: Shown, part: string): string => links.find((link) => link.includes(part)) ?? '';

/** Returns the form whose address ends with this text: its address, its method, and the values that it contains. */
function formOf({ elements }: Shown, end: string) {
  const form = elements.find(
    (one) => one.tagName === 'form' && attribute(one, 'action')?.split('?')[0]?.endsWith(end) === true,
  );
  if (!form) throw new Error(`The page has no form to ${end}`);
  const html = serializeOuter(form);
  return { action: attribute(form, 'action') ?? '', method: attribute(form, 'method'), fields: valuesOf({ html }) };
}

/** Sends the form of a page with these values, as a browser without scripts does. */
function send(by: Visitor, shown: Shown, end: string, values: Record<string, string> = {}): Promise<Shown> {
  const { action, method, fields } = formOf(shown, end);
  const sent = { ...fields, ...values };
  return method === 'post' ? by.post(action, sent) : by.get(`${action}?${new URLSearchParams(sent)}`);
}

/** A project with a failed test and a connection to the tracker, and an Admin. */
async function stage(start: () => Promise<TrackerStandIn>) {
  const at = await issueStage(start);
  const admin = await signedIn(at, 'admin');
  const project = `/${at.organizationId}/${at.projectId}`;
  const testPage = `${project}/instances/${at.instanceId}/test?test_id=${encodeURIComponent(at.testId)}`;
  const connections = `/${at.organizationId}/settings/integrations`;
  const openNew = async (by: Visitor = admin) => by.get(linkTo(await by.get(testPage), '/issues/new'));
  return { ...at, admin, project, testPage, connections, openNew };
}

const jira = new Map(TRACKERS).get('Jira Cloud') ?? (() => Promise.reject(new Error('There is no fake Jira')));
const github = new Map(TRACKERS).get('GitHub') ?? (() => Promise.reject(new Error('There is no fake GitHub')));

/** An organization without a connection, and the form that connects this tracker. */
async function unconnected(name: string, tracker: TrackerStandIn) {
  const here = await failingRun();
  const admin = await signedIn(here, 'admin');
  const page = `/${here.organizationId}/settings/integrations`;
  const form = `${page}/connect/${NAMES[name]}`;
  const account: Record<string, string> = tracker.account === undefined ? {} : { account: tracker.account };
  const values = { name: 'Our tracker', apiUrl: tracker.url, token: tracker.token, projects: 'all', ...account };
  return { ...here, admin, page, form, values };
}

// The pages differ little between trackers, so `npm test` tries two of them here, and another one below.
describe.each(sampled(TRACKERS, 3))('A connection to %s', (name, start) => {
  test('An Admin can create, test, change and remove a connection, and the pages do not show its token', async () => {
    const tracker = await start();
    const { admin, page, form, values } = await unconnected(name, tracker);
    const empty = await admin.get(page);
    expect(empty.text).toContain('No issue tracker is connected');
    expect(linkTo(empty, `/connect/${NAMES[name]}`)).toBe(form);
    const asked = await admin.get(form);
    expect(asked.text).toMatch(/Where to create the token: \S.*(?:needs|must be allowed)/s);
    const saved = await admin.post(form, { ...formOf(asked, form).fields, ...values });
    expect([saved.status, place(saved)]).toEqual([303, page]);

    const listed = await admin.get(page);
    expect(listed.text).toMatch(new RegExp(`Our tracker\\s*${name}.*works.*all projects`, 's'));
    expect(listed.text).toContain(tracker.url);
    const tested = await send(admin, listed, '/test');
    expect(tested.status).toBe(200);
    expect(tested.text).toMatch(/The connection works\. The token belongs to the \S+ account \S/);

    const edit = await admin.get(linkTo(listed, '/edit'));
    // An empty token keeps the stored one.
    const changed = await send(admin, edit, '/edit', { name: 'Tracker of the shop team', token: '', projects: 'all' });
    expect([changed.status, place(changed)]).toEqual([303, page]);
    const shown = await admin.get(page);
    expect(shown.text).toContain('Tracker of the shop team');
    for (const one of [asked, listed, tested, edit, shown]) expect(one.html).not.toContain(tracker.token);

    const question = await admin.get(linkTo(shown, '/remove'));
    expect(question.text).toContain('Remove the connection Tracker of the shop team?');
    expect(place(await send(admin, question, '/remove'))).toBe(page);
    expect((await admin.get(page)).text).toContain('No issue tracker is connected');
  });

  test('A connection is not saved if the tracker refuses the token, and the error is shown next to the token field', async () => {
    const tracker = await start();
    const { admin, page, form, values } = await unconnected(name, tracker);
    const refused = await admin.post(form, { ...values, token: 'wrong-token-17' });
    expect(refused.status).toBe(409);
    expect(refusedFields(refused)).toEqual(['token']);
    expect(refused.text).toMatch(new RegExp(`${tracker.name} does not accept the .*Enter a new one`));
    expect(valuesOf(refused)).toMatchObject({ name: 'Our tracker', apiUrl: tracker.url });
    expect(refused.html).not.toContain('wrong-token-17');
    expect((await admin.get(page)).text).toContain('No issue tracker is connected');
  });

  test('A connection is not saved with a wrong address, and the error is shown next to the address field', async () => {
    const tracker = await start();
    const { admin, page, form, values } = await unconnected(name, tracker);
    for (const apiUrl of ['http://127.0.0.1:1', 'not an address', `${tracker.url}?a=1`]) {
      const refused = await admin.post(form, { ...values, apiUrl });
      expect(refusedFields(refused), apiUrl).toEqual(['apiUrl']);
      expect(valuesOf(refused)['apiUrl']).toBe(apiUrl);
    }
    tracker.fail('redirect');
    expect(refusedFields(await admin.post(form, values))).toEqual(['apiUrl']);
    expect((await admin.get(page)).text).toContain('No issue tracker is connected');
  });
});

describe('The connections to issue trackers', () => {
  test('The page of connections shows why the tracker refused a connection test, until a test succeeds', async () => {
    const { admin, connections, tracker } = await stage(github);
    tracker.fail('unauthorized');
    const refused = await send(admin, await admin.get(connections), '/test');
    expect(refused.status).toBe(409);
    expect(refused.text).toMatch(/The connection test failed. GitHub does not accept the .*Enter a new one/);
    expect((await admin.get(connections)).text).toMatch(
      /refused\s*GitHub does not accept .*refused the connection on\s*2 Nov 2026/s,
    );
    await send(admin, await admin.get(connections), '/test');
    expect((await admin.get(connections)).text).toContain('works');
  });

  test('A stored token is not sent to another address, and a changed address requires the token again', async () => {
    const { admin, connections } = await stage(github);
    const other = await github();
    const edit = await admin.get(linkTo(await admin.get(connections), '/edit'));
    const moved = await send(admin, edit, '/edit', { apiUrl: other.url, token: '', projects: 'all' });
    expect([moved.status, refusedFields(moved)]).toEqual([400, ['token']]);
    expect(other.received).toEqual([]);
  });

  test('A connection for chosen projects cannot be used in other projects, and needs at least one chosen project', async () => {
    const { admin, connections, projectId, organizationId, services, openNew, ...at } = await stage(github);
    const other = await createProject(services, { organizationId, name: 'Payments', actor: OPERATOR });
    const edit = await admin.get(linkTo(await admin.get(connections), '/edit'));
    const none = await send(admin, edit, '/edit', { projects: 'chosen' });
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('Choose at least one project')]);
    const saved = await send(admin, edit, '/edit', { projects: 'chosen', projectIds: other.projectId });
    expect(saved.status).toBe(303);
    expect((await admin.get(connections)).text).toMatch(/Projects\s*Payments/);
    const asked = await openNew();
    expect(asked.text).toContain('This project may not use the connected issue trackers');
    const { integrationId, instanceId, testId, tracker } = at;
    const forced = { integrationId, instanceId, testId, trackerProjectId: tracker.project };
    expect((await admin.post(`/${organizationId}/${projectId}/issues/new`, forced)).status).toBe(404);
    expect(tracker.issues()).toEqual([]);
  });

  test('Jira Cloud cannot be connected without the email address of the account', async () => {
    const tracker = await jira();
    const { admin, form, values } = await unconnected('Jira Cloud', tracker);
    const refused = await admin.post(form, { ...values, account: '' });
    expect([refused.status, refusedFields(refused)]).toEqual([400, ['account']]);
    expect(tracker.received).toEqual([]);
  });
});

describe.each(sampled(TRACKERS, 3, 1))('Issues in %s', (_, start) => {
  test('Without scripts, an issue can be created from the page of a failed test, and the page then shows the issue', async () => {
    const at = await stage(start);
    const { admin, tracker, testPage } = at;
    let asked = await at.openNew();
    expect(asked.text).toContain('expected 2, received 3');
    expect(asked.html).not.toContain(tracker.token);
    if (tracker.kind === 'jira')
      asked = await send(admin, asked, '/issues/new', { tracker_project_id: tracker.project });
    const own = { trackerProjectId: tracker.project, issueTypeId: tracker.typeId };
    const proposed = formOf(asked, '/issues/new').fields['issueTitle'] ?? valuesOf(asked)['issueTitle'] ?? '';
    expect(proposed).toMatch(/^cart › keeps its articles: .*expected 2/);
    const fields = { ...valuesOf(asked), ...own, issueTitle: 'Articles get lost' };
    const created = await admin.post(`${at.project}/issues/new`, fields);
    expect([created.status, place(created)]).toEqual([303, `${testPage}&attempt=1`]);
    const [issue, ...others] = tracker.issues();
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ title: 'Articles get lost', project: tracker.project });
    const shown = await admin.get(place(created));
    expect(shown.text).toMatch(new RegExp(`Known issues.*${issue?.key}, open.*Articles get lost`, 's'));
    const link = shown.elements.find(
      (one) => one.tagName === 'a' && attribute(one, 'href')?.startsWith(tracker.origin) === true,
    );
    expect(link && attribute(link, 'rel')).toBe('noreferrer');
  });

  test('An existing issue can be linked by its key or its address, and can be unlinked', async () => {
    const at = await stage(start);
    const { admin, tracker, project, testPage } = at;
    await at.create();
    const key = keyOf(tracker);
    const [listed] = await at.listed();
    await at.api.send('DELETE', `${at.path}/${listed.issueId}`);
    for (const text of [key, ...tracker.pagesOf(key)]) {
      const asked = await admin.get(linkTo(await admin.get(testPage), '/issues/link'));
      expect((await send(admin, asked, '/issues/link', { issueKey: text })).status, text).toBe(303);
      const shown = await admin.get(testPage);
      expect(shown.text).toContain(`${key}, open`);
      const unlinked = await send(admin, shown, '/unlink');
      expect(place(unlinked)).toMatch(new RegExp(`^${project}/tests/`));
      expect((await admin.get(testPage)).text).not.toContain(key);
    }
    expect(tracker.issue(key)?.comments[0]).toContain('expected 2, received 3');
  });
});

describe('Creating an issue', () => {
  const OPTIONS = [
    { id: '10', value: 'Low' },
    { id: '11', value: 'High <b>' },
  ];
  test.each([
    ['string', undefined, 'Checkout', 'Checkout'],
    ['number', undefined, '3', 3],
    ['option', OPTIONS, '11', { id: '11' }],
    ['array', OPTIONS, '11', [{ id: '11' }]],
  ] as const)(
    'A field of type %s that Jira requires is named in the error and gets an input, and the issue is created with its value',
    async (type, options, entered, stored) => {
      const tracker = new JiraStandIn('cloud');
      const at = await stage(() => tracker.start());
      tracker.required.set('customfield_10010', { name: 'Severity', type, ...(options ? { options } : {}) });
      const { admin } = at;
      const asked = await send(admin, await at.openNew(), '/issues/new', { tracker_project_id: tracker.project });
      const refused = await admin.post(`${at.project}/issues/new`, { ...valuesOf(asked), issueTitle: 'Mine' });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('Severity is required');
      const fields = valuesOf(refused);
      expect(fields).toMatchObject({ issueTitle: 'Mine', 'field:customfield_10010': options ? '10' : '' });
      if (options) expect(refused.html).toContain('High &lt;b&gt;');
      const sent = { ...fields, 'field:customfield_10010': entered };
      expect((await admin.post(`${at.project}/issues/new`, sent)).status).toBe(303);
      expect(tracker.issues()[0]?.fields).toEqual({ customfield_10010: stored });
    },
  );

  test('Values of required fields that Jira has accepted stay in the form if Jira refuses another value', async () => {
    const tracker = new JiraStandIn('cloud');
    const at = await stage(() => tracker.start());
    tracker.required.set('customfield_1', { name: 'Team', type: 'string' });
    tracker.required.set('customfield_2', { name: 'Points', type: 'number' });
    const asked = await send(at.admin, await at.openNew(), '/issues/new', { tracker_project_id: tracker.project });
    const post = (values: Record<string, string>) => at.admin.post(`${at.project}/issues/new`, values);
    const first = await post(valuesOf(asked));
    const second = await post({ ...valuesOf(first), 'field:customfield_1': 'Checkout', 'field:customfield_2': 'many' });
    expect(second.text).toContain('Operation value must be a number');
    expect((await post({ ...valuesOf(second), 'field:customfield_2': '5' })).status).toBe(303);
    expect(tracker.issues()[0]?.fields).toEqual({ customfield_1: 'Checkout', customfield_2: 5 });
  });

  test('If the tracker cannot list its projects, the page says why and asks for the name of the project', async () => {
    const at = await stage(github);
    at.tracker.fail('broken', 'broken', 'broken');
    const asked = await at.openNew();
    expect(asked.status).toBe(200);
    expect(asked.text).toMatch(/did not return a list of repositories, so enter the repository.*GitHub has a problem/s);
    at.tracker.fail();
    const sent = { ...valuesOf(asked), trackerProjectId: 'acme/shop' };
    expect((await at.admin.post(`${at.project}/issues/new`, sent)).status).toBe(303);
    expect(at.tracker.issues()).toHaveLength(1);
  });

  test('An issue that the tracker does not accept is not created, and the form keeps what was entered', async () => {
    const at = await stage(github);
    const asked = await at.openNew();
    at.tracker.areIssuesDisabled = true;
    const refused = await at.admin.post(`${at.project}/issues/new`, {
      ...valuesOf(asked),
      trackerProjectId: 'acme/shop',
      issueTitle: 'Articles get lost',
    });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).toMatch(/The issue was not created\. .*issues/i);
    expect(valuesOf(refused)['issueTitle']).toBe('Articles get lost');
    expect(at.tracker.issues()).toEqual([]);
  });

  test('The form of a new issue creates only one issue if it is sent twice', async () => {
    const at = await stage(github);
    const sent = { ...valuesOf(await at.openNew()), trackerProjectId: 'acme/shop' };
    for (let turn = 0; turn < 2; turn += 1)
      expect((await at.admin.post(`${at.project}/issues/new`, sent)).status).toBe(303);
    expect(at.tracker.issues()).toHaveLength(1);
    expect((await at.openNew()).text).toContain('This failure already has an issue');
  });

  test('If several issue trackers are connected, the page of a new issue first asks the person to choose one', async () => {
    const at = await stage(github);
    const { admin } = at;
    const second = await jira();
    const form = `${at.connections}/connect/jira-cloud`;
    clock.advance(1000);
    const values = { name: 'Jira', apiUrl: second.url, token: second.token, account: second.account ?? '' };
    expect((await admin.post(form, values)).status).toBe(303);
    const asked = await at.openNew();
    expect(asked.text).toContain('Choose a tracker');
    expect(asked.text).not.toContain('Create the issue in');
    const chosen = await admin.get(asked.links.filter((link) => link.includes('integration_id='))[1] ?? '');
    const typed = await send(admin, chosen, '/issues/new', { tracker_project_id: second.project });
    expect((await admin.post(`${at.project}/issues/new`, valuesOf(typed))).status).toBe(303);
    expect([at.tracker.issues().length, second.issues().length]).toEqual([0, 1]);
  });

  test('If no issue tracker is connected, the page of a new issue and the list of issues link Admins to the settings, and tell other members to ask an Admin', async () => {
    const here = await failingRun();
    const query = new URLSearchParams({ instance_id: here.instanceId, test_id: testIdOf('retail', FAILING) });
    const page = `/${here.organizationId}/${here.projectId}/issues/new?${query}`;
    const list = `/${here.organizationId}/${here.projectId}/issues`;
    for (const path of [page, list]) {
      const forAdmin = await (await signedIn(here, 'admin')).get(path);
      expect(forAdmin.text).toContain('No issue tracker is connected');
      expect(forAdmin.links).toContain(`/${here.organizationId}/settings/integrations`);
      const forMember = await (await signedIn(here, 'member')).get(path);
      expect(forMember.text).toMatch(/Ask an Admin of \S/);
      expect(linkTo(forMember, '/settings/members')).not.toBe('');
      expect(linkTo(forMember, '/settings/integrations')).toBe('');
    }
  });

  test.each(['new', 'link'])(
    'The page and the form issues/%s return 404 for a test of another project',
    async (form) => {
      const at = await stage(github);
      const { organizationId, services } = at;
      const other = await createProject(services, { organizationId, name: 'Other', actor: OPERATOR });
      const query = new URLSearchParams({ instance_id: at.instanceId, test_id: at.testId });
      const page = await at.admin.get(`/${organizationId}/${other.projectId}/issues/${form}?${query}`);
      expect(page.status).toBe(404);
      expect((await at.admin.get(`${at.project}/issues/${form}`)).status).toBe(404);
      const sent = { instanceId: at.instanceId, testId: at.testId, integrationId: at.integrationId };
      const more = { trackerProjectId: 'acme/shop', issueKey: 'acme/shop#1', includeFailure: 'true' };
      const posted = await at.admin.post(`/${organizationId}/${other.projectId}/issues/${form}`, { ...sent, ...more });
      expect(posted.status).toBe(404);
      expect(at.tracker.received).toEqual([]);
    },
  );
});

describe('Linking an issue', () => {
  test('An issue that does not exist is not linked, and the form shows an error and keeps what was entered', async () => {
    const at = await stage(github);
    const asked = await at.admin.get(linkTo(await at.admin.get(at.testPage), '/issues/link'));
    const missing = await send(at.admin, asked, '/issues/link', { issueKey: 'acme/shop#99', comment: 'See <b>' });
    expect(missing.status).toBe(404);
    expect(missing.text).toContain('The issue was not linked.');
    expect(valuesOf(missing)).toMatchObject({ issueKey: 'acme/shop#99', includeFailure: 'true' });
    expect(missing.html).toContain('See &lt;b&gt;');
  });

  test('An issue is not linked without a key, or without both the failure and a comment', async () => {
    const at = await stage(github);
    const asked = await at.admin.get(linkTo(await at.admin.get(at.testPage), '/issues/link'));
    const nothing = await send(at.admin, asked, '/issues/link', {
      issueKey: 'acme/shop#1',
      includeFailure: '',
      comment: '',
    });
    expect([nothing.status, refusedFields(nothing)]).toEqual([400, ['comment']]);
    const empty = await send(at.admin, asked, '/issues/link', { issueKey: ' ' });
    expect([empty.status, refusedFields(empty)]).toEqual([400, ['issueKey']]);
  });
});

/**
 * Records a test that fails on the default branch and in a pull request, adds it to the analytics pages, and returns
 * the pages that show the test or its error.
 */
async function knownEverywhere() {
  const at = await stage(github);
  const { admin, project } = at;
  for (const [ciBuildId, of] of [
    ['base', onBranch('main')],
    [
      'pull',
      {
        commit: {
          ...COMMIT,
          branch: 'change',
          ghaEventData: { htmlUrl: 'https://github.com/a/b/pull/7', prTitle: 'Pull' },
        },
      },
    ],
  ] as const) {
    clock.advance(60_000);
    const tests = { [FAILING]: failed(), [`${SPEC} > cart > is open`]: passed() };
    await upload(at, [suiteGroup('retail', Object.keys(tests))], [batchInstance('retail', SPEC, tests)], {
      ciBuildId,
      ...of,
    });
  }
  await compileRuns(at);
  const errors = await admin.get(`${project}/errors`);
  const runs = await admin.get(`${project}/runs`);
  const pages = {
    'the page of the test in its run': at.testPage,
    'the history of the test': linkTo(await admin.get(at.testPage), '/tests/'),
    'the page of the run': `${project}/runs/${at.runId}`,
    'the page of a later run': linkTo(runs, '/runs/'),
    'the page of the pull request': `${project}/pulls/7`,
    'the list of errors': `${project}/errors`,
    'the page of the error': errors.links.find((link) => link.includes('received')) ?? '',
    'the list of issues': `${project}/issues`,
  };
  return { ...at, pages };
}

describe('Known issues', () => {
  test('A known issue is shown on the pages that show its test or its error, with its state and a link to the tracker', async () => {
    const at = await knownEverywhere();
    const before = await Promise.all(Object.values(at.pages).map((page) => at.admin.get(page)));
    for (const [index, { html, status }] of before.entries()) {
      expect([Object.keys(at.pages)[index], status]).toEqual([Object.keys(at.pages)[index], 200]);
      expect(html, Object.keys(at.pages)[index]).not.toContain('class="outcome issue');
    }
    await at.create();
    const key = keyOf(at.tracker);
    for (const [name, page] of Object.entries(at.pages)) {
      const { html, text } = await at.admin.get(page);
      expect(text, name).toContain(`Issue ${key}, open`);
      expect(html, name).toMatch(
        /class="outcome issue pending" href="http:\/\/127\.0\.0\.1:\d+\/acme\/shop\/issues\/1"/,
      );
    }
  });

  test('A flaky test with a known issue is marked in the list of flaky tests', async () => {
    const at = await stage(github);
    await compileRuns(at);
    const flakyTests = await at.admin.get(`${at.project}/flaky?state[]=flaky&state[]=suspected`);
    const signature = linkTo(flakyTests, '/tests/').split('/tests/')[1] ?? '';
    expect(signature).not.toBe('');
    await putIssue(at, { signature, key: 'SHOP-7' });
    expect((await at.admin.get(`${at.project}/flaky`)).text).toContain('Issue SHOP-7, in progress');
  });

  test('Guests see known issues, but cannot create, link or unlink them', async () => {
    const at = await stage(github);
    await at.create();
    const guest = await signedIn(at, 'guest');
    for (const page of [at.testPage, `${at.project}/issues`]) {
      const shown = await guest.get(page);
      expect(shown.text).toContain('acme/shop#1, open');
      expect(shown.html).not.toMatch(/issues\/new|issues\/link|\/unlink/);
    }
    const [{ issueId }] = await at.listed();
    expect((await guest.post(`${at.project}/issues/${issueId}/unlink`)).status).toBe(403);
    expect(await at.listed()).toHaveLength(1);
  });

  test('The list of issues shows the test, the state and the time of each issue, can be filtered by state, and has a button to unlink an issue', async () => {
    const at = await stage(github);
    const signature = (await at.create()).body.data.signature;
    await putIssue(at, { signature, key: 'SHOP-7' });
    const all = await at.admin.get(`${at.project}/issues`);
    expect(all.text).toMatch(/All 2\s*Open 1\s*In progress 1\s*Done 0/);
    expect(all.text).toMatch(/keeps its articles.*SHOP-7, in progress.*(?:ago|just now)/s);
    const open = await at.admin.get(`${at.project}/issues?state=open`);
    expect(open.text).toContain('acme/shop#1, open');
    expect(open.text).not.toContain('SHOP-7');
    expect((await at.admin.get(`${at.project}/issues?state=done`)).text).toContain('No issue is done');
    expect((await at.admin.get(`${at.project}/issues?state=closed`)).status).toBe(400);
    const unlinked = await send(at.admin, open, '/unlink');
    expect(place(unlinked)).toBe(`${at.project}/issues`);
    expect((await at.admin.get(`${at.project}/issues`)).text).not.toContain('acme/shop#1');
    expect((await send(at.admin, open, '/unlink')).status).toBe(404);
  });

  test('A list of more than 50 issues is split into pages', async () => {
    const at = await stage(github);
    const signature = (await at.create()).body.data.signature;
    for (let number = 1; number <= 55; number += 1) await putIssue(at, { signature, key: `SHOP-${number}` });
    const first = await at.admin.get(`${at.project}/issues`);
    expect(first.text).toContain('50 of 56');
    const second = await at.admin.get(linkTo(first, 'page=1'));
    expect(second.text).toContain('6 of 56');
  });

  test('Titles, keys and states from a hostile tracker are shown as text, and its `javascript:` address is left out', async () => {
    const at = await stage(github);
    const signature = (await at.create()).body.data.signature;
    const hostile = {
      key: '"><img src=x onerror=alert(1)>',
      title: `"><script>alert(1)</script>\u202Egnp.exe ${'x'.repeat(255)}`,
      stateName: "' onmouseover='alert(1)\u2066",
      url: 'javascript:alert(1)',
    };
    await putIssue(at, { signature, ...hostile });
    const { html: history } = await at.admin.get(`${at.project}/tests/${signature}`);
    const { html: list } = await at.admin.get(`${at.project}/issues`);
    for (const html of [history, list]) {
      expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(html).toContain('&lt;U+202E&gt;gnp.exe');
      expect(html).not.toContain('<script>alert');
      expect(html).not.toContain('<img src=x');
      expect(html).not.toContain('javascript:');
      expect(html).not.toMatch(/[\u202E\u2066]/);
    }
  });
});

interface Put {
  readonly signature: string;
  readonly key: string;
  readonly title?: string;
  readonly stateName?: string;
  readonly url?: string;
}

/** Stores an issue of a connection that was removed. */
async function putIssue(at: Awaited<ReturnType<typeof stage>>, { signature, key, ...more }: Put): Promise<void> {
  const { organizationId, projectId, services } = at;
  const integrationId = 'int_removed';
  await services.table.put(knownIssues, {
    organizationId,
    projectId,
    signature,
    issueId: deriveIssueId({ signature, integrationId, key }),
    integrationId,
    kind: 'jira',
    key,
    url: `https://jira.invalid/browse/${key}`,
    title: 'Articles get lost',
    state: 'inProgress',
    stateName: 'In Review',
    spec: SPEC,
    testTitle: ['cart', 'keeps its articles'],
    created: false,
    createdAt: services.now() - 1000,
    createdBy: 'ada',
    checkedAt: services.now(),
    seenAt: services.now(),
    ...more,
  });
}

test('The page of connections marks a connection that is paused', async () => {
  const at = await stage(github);
  const { services, organizationId, integrationId } = at;
  const key = { organizationId, integrationId };
  await services.table.update(integrations, key, { set: [['pausedUntil', services.now() + 60_000]] });
  expect((await at.admin.get(at.connections)).text).toContain('paused');
});
