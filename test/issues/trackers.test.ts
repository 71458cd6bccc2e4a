/**
 * Issues in every supported tracker: creating, finding, reading, commenting on and closing them, and the failures of
 * the tracker.
 */
import { describe, expect, test } from 'vitest';
import type { TextBlock } from '#shared/issues/text/blocks.ts';
import { openTracker } from '#shared/issues/trackers/open-tracker.ts';
import type { NewTrackerIssue, TrackerNetwork } from '#shared/issues/trackers/tracker.ts';
import { TrackerProblem } from '#shared/issues/trackers/tracker.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { OURS } from '#test/context/parse-back.ts';
import { attack } from '#test/harness/attacks.ts';
import { TRACKERS } from '#test/harness/trackers/all-trackers.ts';
import { GithubIssues } from '#test/harness/trackers/github.ts';
import { GitlabStandIn } from '#test/harness/trackers/gitlab.ts';
import { JiraStandIn } from '#test/harness/trackers/jira.ts';
import { LinearStandIn } from '#test/harness/trackers/linear.ts';
import type { Failure, TrackerStandIn } from '#test/harness/trackers/stand-in.ts';
import { expectInertAdf, expectInertMarkdown, expectInertWiki } from './inert.ts';

const NOW = Date.parse('2026-11-27T08:00:00Z');
const MARKER = 'c0ffee00c0ffee00c0ffee00';

const opened = (standIn: TrackerStandIn, network: Partial<TrackerNetwork> = {}) => {
  standIn.now = () => NOW;
  const { kind, url: apiUrl, token, account } = standIn;
  const access = { kind, apiUrl, token, ...(account === undefined ? {} : { account }) };
  return openTracker(access, { privateReceivers: 'machine', now: () => NOW, ...network });
};

const TEXT: readonly TextBlock[] = [
  { kind: 'code', text: 'Error: expected 1 to be 2' },
  {
    kind: 'list',
    items: [
      [
        { kind: 'text', text: 'Test: ' },
        { kind: 'code', text: 'cart › adds an item' },
      ],
    ],
  },
  { kind: 'paragraph', spans: [{ kind: 'link', text: 'Failure', url: `${OURS}runs/1` }] },
];

const newIssue = (standIn: TrackerStandIn, changes: Partial<NewTrackerIssue> = {}): NewTrackerIssue => ({
  projectId: standIn.project,
  typeId: standIn.typeId,
  title: 'cart › adds an item: expected 1 to be 2',
  text: TEXT,
  marker: MARKER,
  ...changes,
});

async function problemOf(call: Promise<unknown>): Promise<TrackerProblem> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TrackerProblem)) throw new Error('Expected a problem of the tracker', { cause: error });
  return error;
}

/** Checks that the message of a problem names the tracker, says what to do, and contains no credential. */
function expectGoodText({ message }: TrackerProblem, { name, token, account }: TrackerStandIn): void {
  expect(message).toContain(name);
  expect(message).toMatch(/\b(?:Try again|Enter|Correct|Check|check|Choose|Change|Save|Enable|needs|Send|Close|Add)\b/);
  expect(message).not.toContain(token);
  expect(message).not.toContain(Buffer.from(`${account}:${token}`).toString('base64'));
}

/** Compares a stored text with the blocks by the rules of its format, without the hidden marker of Markdown. */
function expectInert(standIn: TrackerStandIn, sent: string, blocks: readonly TextBlock[]): void {
  if (standIn.kind !== 'jira') expectInertMarkdown(sent.replace(/\n\n<!-- rundown \w+ -->$/, ''), blocks);
  else if (standIn.account === undefined) expectInertWiki(sent, blocks);
  else expectInertAdf(JSON.parse(sent), blocks);
}

describe.each(TRACKERS)('%s', (_, start) => {
  test('returns the name of the account that owns the credential', async () => {
    expect(await opened(await start()).whoAmI()).toMatch(/Rundown Bot|rundown-bot/);
  });

  test('lists, page by page, the projects in which issues can be created, and finds them by a part of their name', async () => {
    const standIn = await start();
    const tracker = opened(standIn);
    const all = await tracker.projects({ search: undefined, page: 0, limit: 100 });
    expect(all.projects.map(({ id }) => id)).toContain(standIn.project);
    expect(all).toMatchObject({ hasMore: false, total: all.projects.length });
    const pages = await Promise.all(
      all.projects.map((__, page) => tracker.projects({ search: undefined, page, limit: 1 })),
    );
    expect(pages.flatMap(({ projects }) => projects)).toEqual(all.projects);
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([...all.projects.slice(1).map(() => true), false]);
    const found = await tracker.projects({ search: 'shop', page: 0, limit: 100 });
    expect(found.projects.map(({ id }) => id)).toEqual([standIn.project]);
    expect((await tracker.projects({ search: 'no & such=project', page: 0, limit: 100 })).projects).toEqual([]);
  });

  test('lists the issue types of a project, and reports a project that does not exist', async () => {
    const standIn = await start();
    const types = await opened(standIn).issueTypes(standIn.project);
    expect(types.map(({ id }) => id)).toContain(standIn.typeId);
    expect(types.map(({ name }) => name)).not.toContain('Sub-task');
    const problem = await problemOf(opened(standIn).issueTypes('acme/other'));
    expect(problem.verdict.kind).toBe('missing');
    expectGoodText(problem, standIn);
  });

  test('creates an issue that can be read, commented on and closed', async () => {
    const standIn = await start();
    const tracker = opened(standIn);
    const created = await tracker.create(newIssue(standIn));
    expect(standIn.issues()).toMatchObject([
      { key: created.key, project: standIn.project, state: 'open', comments: [] },
    ]);
    expect(created).toMatchObject({ title: newIssue(standIn).title, state: 'open' });
    expect(await tracker.get(created.key)).toEqual(created);
    await tracker.comment(created.key, TEXT);
    expectInert(standIn, standIn.issue(created.key)?.comments[0] ?? '', TEXT);
    await tracker.close(created.key);
    expect(await tracker.get(created.key)).toMatchObject({ key: created.key, state: 'done' });
    const before = standIn.received.length;
    await tracker.close(created.key);
    expect(standIn.received.length).toBe(before + 1);
  });

  test('returns the state of an issue, and reports that a deleted issue does not exist', async () => {
    const standIn = await start();
    const tracker = opened(standIn);
    const { key } = await tracker.create(newIssue(standIn));
    if (standIn.kind === 'jira' || standIn.kind === 'linear') {
      standIn.setState(key, 'inProgress');
      expect(await tracker.get(key)).toMatchObject({ state: 'inProgress', stateName: 'In Review' });
    }
    standIn.setState(key, 'done');
    expect(await tracker.get(key)).toMatchObject({
      state: 'done',
      stateName: expect.stringMatching(/Released|Closed/),
    });
    const issue = standIn.issue(key);
    if (issue) issue.isDeleted = true;
    expect(await tracker.get(key)).toBeUndefined();
    for (const call of [tracker.comment(key, TEXT), tracker.close(key)]) {
      const problem = await problemOf(call);
      expect(problem.verdict.kind).toBe('missing');
      expectGoodText(problem, standIn);
    }
  });

  test('finds an issue by its key and by different addresses of its page', async () => {
    const standIn = await start();
    const tracker = opened(standIn);
    const created = await tracker.create(newIssue(standIn));
    for (const page of [created.url, ...standIn.pagesOf(created.key), ` ${created.key} `])
      expect(await opened(standIn).get(page)).toEqual(created);
  });

  test('gets no request for a text that is neither a key nor an address of its issues', async () => {
    const standIn = await start();
    const { key } = await opened(standIn).create(newIssue(standIn));
    const before = standIn.received.length;
    const [page = ''] = standIn.pagesOf(key);
    const elsewhere = page.replace(standIn.origin, 'https://evil.example');
    const texts = [
      '',
      '12',
      '../../user',
      'SHOP-1/../../x',
      'acme/shop#1?x',
      'a b#1',
      elsewhere,
      `${standIn.origin}/%E0%A4%A`,
      page.replace(/\d+(?=\D*$)/, 'x'),
    ];
    attack('hostile answers', texts.length);
    for (const text of texts) {
      const problem = await problemOf(opened(standIn).get(text));
      expect([text, problem.verdict.kind]).toEqual([text, 'missing']);
      expectGoodText(problem, standIn);
    }
    expect(standIn.received.length).toBe(before);
  });

  test('cuts a title of megabytes to what a row can hold', async () => {
    const standIn = await start();
    const { key } = await opened(standIn).create(newIssue(standIn));
    const issue = standIn.issue(key);
    if (issue) Object.assign(issue, { title: 'long '.repeat(100_000) });
    const { title } = (await opened(standIn).get(key)) ?? { title: '' };
    expect(title.length).toBeGreaterThan(250);
    expect(title.length).toBeLessThan(1100);
  });

  test('refuses a response of more than two megabytes about one issue', async () => {
    const standIn = await start();
    const { key } = await opened(standIn).create(newIssue(standIn));
    const issue = standIn.issue(key);
    if (issue) Object.assign(issue, { title: 'long '.repeat(500_000) });
    attack('hostile answers');
    expect((await problemOf(opened(standIn).get(key))).verdict.kind).toBe('failed');
  });

  test('shows hostile text from tests without mentions, links, commands or markup', async () => {
    const standIn = await start();
    const text =
      '@all #1 !1 /close\n/close\n```\n/close {noformat} {code} <b>x</b> https://evil.example SHOP-1 :tada: [~admin]';
    const hostile: readonly TextBlock[] = [
      { kind: 'paragraph', spans: [{ kind: 'text', text }] },
      { kind: 'list', items: [[{ kind: 'code', text }]] },
      { kind: 'code', text: `${text}\n`.repeat(3) },
    ];
    attack('hostile answers', 1 + hostile.length);
    const title = `@all\n#1 ${'x'.repeat(400)}\u202e`;
    const { key } = await opened(standIn).create(newIssue(standIn, { title, text: hostile }));
    await opened(standIn).comment(key, hostile);
    const issue = standIn.issue(key);
    expectInert(standIn, issue?.text ?? '', hostile);
    expectInert(standIn, issue?.comments[0] ?? '', hostile);
    expect(issue?.title.length).toBeLessThanOrEqual(255);
    expect(issue?.title).not.toMatch(/[\n\u202e]/);
  });

  test('accepts an issue and a comment with very long text, because long text is cut', async () => {
    const standIn = await start();
    const long: readonly TextBlock[] = [...TEXT, { kind: 'code', text: 'Error: "é" \\ <>\n'.repeat(100_000) }];
    const { key } = await opened(standIn).create(newIssue(standIn, { text: long }));
    await opened(standIn).comment(key, long);
    expect(standIn.issue(key)?.text).toContain('[the rest was cut]');
    expect(standIn.issue(key)?.text).toContain(`${OURS}runs/1`);
  });

  test('finds an issue by its marker if the response to its creation was lost, and finds no other issue', async () => {
    const standIn = await start();
    await opened(standIn).create(newIssue(standIn, { marker: 'another' }));
    for (const failure of ['lost', 'cut'] as const) {
      const marker = `${MARKER}${failure}`;
      standIn.fail(failure);
      expect((await problemOf(opened(standIn).create(newIssue(standIn, { marker })))).verdict.kind).toBe('failed');
      const found = await opened(standIn).findCreated({ projectId: standIn.project, marker, since: NOW });
      expect(found?.key).toBe(standIn.issues().at(-1)?.key);
      expect(found?.title).toBe(newIssue(standIn).title);
    }
    expect(standIn.issues()).toHaveLength(3);
    expect(
      await opened(standIn).findCreated({ projectId: standIn.project, marker: 'unknown', since: NOW }),
    ).toBeUndefined();
  });

  const VERDICTS: readonly (readonly [reason: string, Failure, verdict: string])[] = [
    ['does not accept the credential', 'unauthorized', 'refused'],
    ['requires a permission that the credential lacks', 'forbidden', 'refused'],
    ['does not know the issue or project', 'missing', 'missing'],
    ['has reached its rate limit', 'limited', 'limited'],
    ['reports a server error', 'broken', 'failed'],
    ['is behind a proxy that answers with a web page', 'page', 'failed'],
    ['redirects to a sign-in page', 'redirect', 'refused'],
    ['breaks the connection before its response', 'lost', 'failed'],
    ['breaks the connection in the middle of its response', 'cut', 'failed'],
    ['refuses a request and repeats its credential', 'echo', 'invalid'],
  ];
  test.each(VERDICTS)('An error message says what to do if the tracker %s', async (__, failure, verdict) => {
    const standIn = await start();
    const { key } = await opened(standIn).create(newIssue(standIn));
    const calls = [
      () => opened(standIn).create(newIssue(standIn, { marker: 'another' })),
      () => opened(standIn).comment(key, TEXT),
      () => opened(standIn).projects({ search: undefined, page: 0, limit: 10 }),
      () => opened(standIn).issueTypes(standIn.project),
      () => opened(standIn).close(key),
    ];
    for (const [at, call] of calls.entries()) {
      standIn.fail(failure);
      // A request for the list of projects names no project and has no content, so a refusal means a wrong address.
      const isWrongAddress = at === 2 && (verdict === 'missing' || verdict === 'invalid');
      const problem = await problemOf(call());
      expect([at, problem.verdict.kind]).toEqual([
        at,
        isWrongAddress ? expect.stringMatching(`refused|${verdict}`) : verdict,
      ]);
      expectGoodText(problem, standIn);
      if (problem.verdict.kind === 'limited') expect([17, 42]).toContain(problem.verdict.retryAfterSeconds);
    }
  });

  test('The error message about a wrong credential does not contain the credential', async () => {
    const standIn = await start();
    const { kind, url: apiUrl, account } = standIn;
    const access = { kind, apiUrl, token: 'wrong-token', ...(account === undefined ? {} : { account }) };
    const problem = await problemOf(openTracker(access, { privateReceivers: 'machine', now: () => NOW }).whoAmI());
    expect(problem.verdict.kind).toBe('refused');
    expect(problem.message).not.toContain('wrong-token');
    expectGoodText(problem, standIn);
  });

  test('An error message says what to do if issues are disabled in the project', async () => {
    const standIn = await start();
    standIn.areIssuesDisabled = true;
    const problem = await problemOf(opened(standIn).create(newIssue(standIn)));
    expect(problem.verdict.kind).toMatch(standIn.kind === 'jira' ? 'missing' : 'invalid');
    expectGoodText(problem, standIn);
    expect(standIn.issues()).toEqual([]);
  });

  test('gets no request if its address leads into a private network', async () => {
    const standIn = await start();
    const direct = await problemOf(opened(standIn, { privateReceivers: 'none' }).whoAmI());
    const { kind, token, account } = standIn;
    const access = { kind, apiUrl: 'https://tracker.example', token, ...(account === undefined ? {} : { account }) };
    const lookup: NonNullable<TrackerNetwork['lookup']> = (__, ___, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const named = await problemOf(openTracker(access, { privateReceivers: 'none', now: () => NOW, lookup }).whoAmI());
    for (const problem of [direct, named]) {
      expect(problem.verdict.kind).toBe('refused');
      expect(problem.message).toContain(standIn.name);
    }
    expect(standIn.received).toEqual([]);
  });

  test('gets no new request more than 15 seconds after its connection was opened, so that Rundown can still respond to its client', async () => {
    const standIn = await start();
    let now = NOW;
    const tracker = opened(standIn, { now: () => now });
    now += 15_001;
    const problem = await problemOf(tracker.whoAmI());
    expect(problem.verdict.kind).toBe('failed');
    expectGoodText(problem, standIn);
    expect(standIn.received).toEqual([]);
  });
});

test('A request to a tracker that never answers fails after ten seconds, with a message that says so', async () => {
  const before = performance.now();
  await Promise.all(
    TRACKERS.map(async ([, start]) => {
      const standIn = await start();
      standIn.fail('silent');
      const problem = await problemOf(opened(standIn).create(newIssue(standIn)));
      expect(problem.verdict.kind).toBe('failed');
      expect(problem.message).toContain('within 10 seconds');
      expectGoodText(problem, standIn);
    }),
  );
  expect(performance.now() - before).toBeGreaterThan(SENDING_LIMITS.deliveryMilliseconds - 1000);
});

describe.each(['cloud', 'data center'] as const)('Jira (%s)', (flavor) => {
  test('names each field that the project requires, with its options, and accepts values for them as custom fields', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    const options = [
      { id: '7', value: 'Checkout' },
      { id: '8', value: 'Search\u202e' },
    ];
    standIn.required.set('customfield_10010', { name: 'Team', type: 'option', options });
    standIn.required.set('customfield_10011', { name: 'Areas', type: 'array', options });
    standIn.required.set('customfield_10012', { name: 'Points', type: 'number' });
    standIn.required.set('customfield_10013', { name: 'Reason', type: 'string' });
    const problem = await problemOf(opened(standIn).create(newIssue(standIn)));
    const shown = options.map(({ id }, at) => ({ id, name: ['Checkout', 'Search\ufffd'][at] }));
    expect(problem.verdict).toEqual({
      kind: 'invalid',
      fields: [
        { fieldId: 'customfield_10010', name: 'Team', type: 'option', options: shown },
        { fieldId: 'customfield_10011', name: 'Areas', type: 'options', options: shown },
        { fieldId: 'customfield_10012', name: 'Points', type: 'number', options: [] },
        { fieldId: 'customfield_10013', name: 'Reason', type: 'text', options: [] },
      ],
    });
    expect(problem.message).toContain('Team (customfield_10010): Team is required.');
    expectGoodText(problem, standIn);
    const values = {
      customfield_10010: { id: '7' },
      customfield_10011: [{ id: '8' }],
      customfield_10012: 3,
      customfield_10013: 'x',
    };
    const customFields = Object.entries(values).map(([fieldId, value]) => ({ fieldId, value }));
    await opened(standIn).create(newIssue(standIn, { customFields }));
    expect(standIn.issues()).toMatchObject([{ fields: values }]);
  });

  test('gets the text of a custom field in the format that the field requires, even if the project refuses labels', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    standIn.required.set('customfield_10014', { name: 'Steps', type: 'document' });
    standIn.refusesLabels = true;
    const customFields = [{ fieldId: 'customfield_10014', value: 'Open @all' }];
    await opened(standIn).create(newIssue(standIn, { customFields }));
    expect(standIn.issues()).toHaveLength(1);
    expect(JSON.stringify(standIn.issues()[0]?.fields)).toContain('Open @all');
  });

  test('names a field by its id if the name of the field is unknown', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    const customFields = [{ fieldId: 'customfield_999', value: 'x' }];
    const problem = await problemOf(opened(standIn).create(newIssue(standIn, { customFields })));
    expect(problem.verdict.kind).toBe('invalid');
    expect(problem.message).toContain('customfield_999: Field');
  });

  test('gets no request with a custom field that would replace a field that Rundown sets', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    const customFields = [{ fieldId: 'project', value: { id: '10001' } }];
    const problem = await problemOf(opened(standIn).create(newIssue(standIn, { customFields })));
    expect(problem.verdict.kind).toBe('invalid');
    expect(standIn.received).toEqual([]);
  });

  test('creates the issue without a label if the project refuses labels, and still finds it by its marker', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    standIn.refusesLabels = true;
    await opened(standIn).create(newIssue(standIn));
    expect(standIn.issues()).toMatchObject([{ labels: [] }]);
    const found = await opened(standIn).findCreated({ projectId: standIn.project, marker: MARKER, since: NOW });
    expect(found?.key).toBe(standIn.issues()[0]?.key);
  });

  test('returns the created issue even if its state cannot be read', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    const create = opened(standIn).create(newIssue(standIn));
    // The issue is now stored. The next request, which reads its state, fails.
    await expect.poll(() => standIn.issues().length).toBe(1);
    standIn.fail('broken');
    expect(await create).toMatchObject({ key: 'SHOP-1', state: 'open' });
  });

  test('An error message says what to do if the workflow has no transition to a done status', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    standIn.canBeDone = false;
    const { key } = await opened(standIn).create(newIssue(standIn));
    const problem = await problemOf(opened(standIn).close(key));
    expect(problem.verdict.kind).toBe('invalid');
    expectGoodText(problem, standIn);
    expect(standIn.issue(key)?.state).toBe('open');
  });

  test('creates no issue without an issue type or with an unknown one', async () => {
    const standIn = await new JiraStandIn(flavor).start();
    const problem = await problemOf(opened(standIn).create(newIssue(standIn, { typeId: undefined })));
    expect(problem.verdict.kind).toBe('invalid');
    const unknown = await problemOf(opened(standIn).create(newIssue(standIn, { typeId: '999' })));
    expect(unknown.verdict.kind).toBe('invalid');
    expect(standIn.issues()).toEqual([]);
  });
});

test('GitHub: a pull request with the marker of an issue is not mistaken for the issue', async () => {
  const standIn = await new GithubIssues().start();
  await opened(standIn).create(newIssue(standIn));
  standIn.addPull(standIn.issues()[0]?.text ?? '');
  const found = await opened(standIn).findCreated({ projectId: standIn.project, marker: MARKER, since: NOW });
  expect(found?.key).toBe('acme/shop#1');
  expect(await opened(standIn).get('acme/shop#2')).toBeUndefined();
});

test('GitHub and GitLab: an issue is found by its marker even if more than 100 issues were created after it', async () => {
  for (const standIn of [await new GithubIssues().start(), await new GitlabStandIn().start()]) {
    const { key } = await opened(standIn).create(newIssue(standIn));
    const [first] = standIn.issues();
    for (let at = 2; first && at <= 120; at += 1)
      standIn.stored.push({ ...first, key: `${standIn.project}#${at}`, text: 'Another' });
    const found = await opened(standIn).findCreated({ projectId: standIn.project, marker: MARKER, since: NOW });
    expect(found?.key).toBe(key);
  }
});

test('GitLab: the title of an issue contains no working mentions, references, links or emoji', async () => {
  const standIn = await new GitlabStandIn().start();
  await opened(standIn).create(newIssue(standIn, { title: '@all broke #1 and !2: see https://evil.example :tada:' }));
  expect(standIn.issues()[0]?.title).toBe('＠all broke ＃1 and ！2: see https：//evil.example ：tada:');
});

test('GitLab: an issue can be created as an incident, and an unknown issue type is refused', async () => {
  const standIn = await new GitlabStandIn().start();
  await opened(standIn).create(newIssue(standIn, { typeId: 'incident' }));
  expect(standIn.issues()).toMatchObject([{ type: 'incident' }]);
  expect((await problemOf(opened(standIn).create(newIssue(standIn, { typeId: 'epic' })))).verdict.kind).toBe('invalid');
});

test('Linear: creating an issue twice with the same marker creates only one issue', async () => {
  const standIn = await new LinearStandIn().start();
  const first = await opened(standIn).create(newIssue(standIn));
  expect(await opened(standIn).create(newIssue(standIn))).toEqual(first);
  expect(standIn.issues()).toHaveLength(1);
});

test('Linear: the address of an issue in another workspace is not mistaken for the issue with the same key', async () => {
  const standIn = await new LinearStandIn().start();
  const { key, url } = await opened(standIn).create(newIssue(standIn));
  const problem = await problemOf(opened(standIn).get(url.replace('/acme/', '/other/')));
  expect(problem.verdict.kind).toBe('missing');
  expect(problem.message).not.toContain(key.repeat(2));
});

test('Linear: closing an issue requires a status of the type Completed, and uses the first one', async () => {
  const standIn = await new LinearStandIn().start();
  const { key } = await opened(standIn).create(newIssue(standIn));
  standIn.canBeDone = false;
  const problem = await problemOf(opened(standIn).close(key));
  expect(problem.verdict.kind).toBe('invalid');
  expectGoodText(problem, standIn);
  standIn.canBeDone = true;
  await opened(standIn).close(key);
  expect(await opened(standIn).get(key)).toMatchObject({ stateName: 'Released' });
});

test('Linear: an issue is treated as possibly created if the response contains both data and an error', async () => {
  const standIn = await new LinearStandIn().start();
  standIn.isHalfBroken = true;
  const problem = await problemOf(opened(standIn).create(newIssue(standIn)));
  expect(problem.verdict.kind).toBe('failed');
  expectGoodText(problem, standIn);
  standIn.isHalfBroken = false;
  const found = await opened(standIn).findCreated({ projectId: standIn.project, marker: MARKER, since: NOW });
  expect(found?.key).toBe('ENG-1');
});
