import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { rememberEndedRun } from '#shared/issues/automation/notice-run.ts';
import { readAutomation, readAutomationOfProject } from '#shared/issues/automation/settings.ts';
import { trackIssues } from '#shared/issues/automation/track-issues.ts';
import { removeIntegration, verifyIntegration } from '#shared/issues/integrations.ts';
import { unlinkIssue } from '#shared/issues/link-issue.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { disableRule } from '#shared/rules/update-rule.ts';
import { cases } from '#test/harness/cases.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { failed, flaky, passed, skipped } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { DAY, MINUTE, ROUND, SUM, stage, stageWithIssue } from './automation-stage.ts';

/** How often the alternating test of a simulated year fails. */
const ALTERNATIONS = cases(365, 30);

const UNBOUNDED = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };
const FAILS = { [SUM]: failed() };
const PASSES = { [SUM]: passed() };

describe('Without automation', () => {
  test('Without automation, Rundown only reads the state of an issue, even if its test passes and fails again', async () => {
    const { looked, pass, sent, tracker, issue, rulesNow, issues } = await stageWithIssue();
    await looked(PASSES, FAILS);
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await pass();
    await looked(PASSES, FAILS);
    expect(new Set(sent().map((line) => line.split(' ')[0]))).toEqual(new Set(['GET']));
    expect(tracker.issues()).toMatchObject([{ comments: [] }]);
    expect(await rulesNow()).toEqual([]);
    expect(await issues()).toMatchObject([{ state: 'done', stateName: 'Closed' }]);
  });

  test('The end of a run costs a project without issues half a read unit and no write', async () => {
    const { services, organizationId, projectId } = await service();
    const table = services.table.metered();
    const commit = { sha: null, branch: 'main', authorName: null, authorEmail: null, message: null };
    const event = {
      organizationId,
      projectId,
      runId: '0'.repeat(16),
      runCreatedAt: Date.now(),
      ending: 'finish',
    } as const;
    await rememberEndedRun(
      { ...services, table },
      { ...event, commit: { ...commit, remoteOrigin: null, defaultBranch: null } },
    );
    expect(table.meter).toMatchObject({ readUnits: 0.5, writeUnits: 0 });
  });
});

describe('The state of an issue', () => {
  test('is read once every 15 minutes, and becomes done if the issue is deleted in the tracker', async () => {
    const { pass, sent, tracker, issue, issues } = await stageWithIssue();
    tracker.setState(issue.key, 'done');
    for (let minutes = 0; minutes < 30; minutes += 5) await pass();
    const { pathname } = new URL(issue.url);
    expect(sent()).toEqual(Array(2).fill(`GET /repos${pathname}`));
    expect(await issues()).toMatchObject([{ state: 'done', stateName: 'Closed' }]);
    tracker.setState(issue.key, 'open');
    clock.advance(15 * MINUTE);
    await pass();
    expect((await issues())[0]).toMatchObject({ state: 'open', passes: 0 });
    expect((await issues())[0]).not.toHaveProperty('doneAt');
    const stored = tracker.issue(issue.key);
    if (stored) stored.isDeleted = true;
    clock.advance(15 * MINUTE);
    await pass();
    expect(await issues()).toMatchObject([{ state: 'done', stateName: 'Deleted', title: issue.title }]);
  });

  test('is no longer read after 30 days without a failure of its test, until the test fails again', async () => {
    const { pass, looked, sent } = await stageWithIssue();
    clock.advance(29 * DAY);
    await pass();
    expect(sent()).toHaveLength(1);
    clock.advance(2 * DAY);
    await pass();
    expect(sent()).toEqual([]);
    await looked(FAILS);
    clock.advance(15 * MINUTE);
    await pass();
    expect(sent()).toHaveLength(1);
  });
});

describe('A comment saying that a test fails again', () => {
  test('is written only once after each closing of the issue, and contains the failure', async () => {
    const { looked, tracker, issue, pass } = await stageWithIssue({ reportsAgain: true });
    const comments = () => tracker.issue(issue.key)?.comments ?? [];
    await looked(FAILS);
    expect(comments()).toEqual([]);
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await pass();
    await looked(PASSES, FAILS, FAILS);
    expect(comments()).toHaveLength(1);
    expect(comments()[0]).toContain('failed again on the default branch after this issue was closed');
    expect(comments()[0]).toContain('expected 2, received 3');
    tracker.setState(issue.key, 'open');
    clock.advance(15 * MINUTE);
    await pass();
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await looked({ [SUM]: flaky() });
    expect(comments()).toHaveLength(1);
    await looked({ [SUM]: flaky() });
    expect(comments()).toHaveLength(2);
    expect(comments()[1]).toContain('was flaky again');
  });

  test('is written only for runs on the default branch that began after Rundown learned that the issue was closed', async () => {
    const { run, pass, tracker, issue } = await stageWithIssue({ reportsAgain: true });
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await run(FAILS);
    await pass();
    await run(FAILS, 'feature');
    await pass();
    expect(tracker.issue(issue.key)?.comments).toEqual([]);
    await run(FAILS);
    await pass();
    expect(tracker.issue(issue.key)?.comments).toHaveLength(1);
  });

  test('is written only once for an issue that is linked to several tests', async () => {
    const { recorded, link, looked, pass, tracker, issue } = await stageWithIssue({ reportsAgain: true });
    await link(recorded, issue.key, ROUND);
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    const before = tracker.issue(issue.key)?.comments.length ?? 0;
    await pass();
    await looked({ ...FAILS, [ROUND]: failed() });
    expect(tracker.issue(issue.key)?.comments).toHaveLength(before + 1);
  });
});

describe('Closing issues automatically', () => {
  test('An issue is closed with a comment once its test has passed in the required number of runs in a row on the default branch', async () => {
    const { run, looked, tracker, issue, issues } = await stageWithIssue({ closesAfterPasses: 2 });
    await run(PASSES);
    await run({ [SUM]: flaky() });
    await run(PASSES, 'feature');
    await looked(PASSES);
    expect(tracker.issue(issue.key)).toMatchObject({ state: 'open', comments: [] });
    expect(await issues()).toMatchObject([{ passes: 1 }]);
    await looked(PASSES);
    expect(tracker.issue(issue.key)).toMatchObject({ state: 'done' });
    expect(tracker.issue(issue.key)?.comments).toEqual([
      expect.stringContaining('passed in 2 runs in a row on `main`'),
    ]);
    expect(await issues()).toMatchObject([{ state: 'done', stateName: 'Closed' }]);
  });

  test('An issue that a person reopens stays open until its test has passed in the required number of runs again', async () => {
    const { looked, tracker, issue, pass } = await stageWithIssue({ closesAfterPasses: 2 });
    await looked(PASSES, PASSES);
    tracker.setState(issue.key, 'open');
    clock.advance(15 * MINUTE);
    await pass();
    await looked(PASSES);
    expect(tracker.issue(issue.key)).toMatchObject({ state: 'open' });
    await looked(PASSES);
    expect(tracker.issue(issue.key)).toMatchObject({ state: 'done' });
    expect(tracker.issue(issue.key)?.comments).toHaveLength(2);
  });

  test('An issue that is linked to several tests is closed only when all of them pass', async () => {
    const { recorded, link, looked, tracker, issue } = await stageWithIssue({ closesAfterPasses: 1 });
    await link(recorded, issue.key, ROUND);
    await looked({ ...PASSES, [ROUND]: failed() });
    expect(tracker.issue(issue.key)).toMatchObject({ state: 'open' });
    await looked({ ...PASSES, [ROUND]: passed() });
    expect(tracker.issue(issue.key)).toMatchObject({ state: 'done' });
    expect(tracker.issue(issue.key)?.comments.at(-1)).toContain('All 2 tests of this issue passed in a run on `main`');
  });

  test('If the tracker refuses to close an issue, the issue gets only one comment, and later runs do not try again', async () => {
    const { looked, tracker, issue, sent, services, project } = await stageWithIssue({ closesAfterPasses: 1 });
    tracker.refusesChanges = true;
    await looked(PASSES);
    await looked(PASSES);
    expect(sent().filter((line) => !line.startsWith('GET'))).toHaveLength(2);
    expect(tracker.issue(issue.key)?.comments).toHaveLength(1);
    expect((await readAutomationOfProject(services, project)).problem).toMatchObject({
      message: expect.stringContaining('could not be changed'),
    });
  });
});

describe('Creating issues automatically', () => {
  test('In a deleted project, automation does nothing until the project is restored, and then looks at the runs that had ended', async () => {
    const { run, pass, tracker, api, projectId } = await stage({ createsAfterFailures: 1, quarantines: true });
    await run(FAILS);
    await api.send('DELETE', `/projects/${projectId}`);
    await pass();
    expect(tracker.issues()).toEqual([]);
    await api.put(`/projects/${projectId}/restore`);
    clock.advance(60 * MINUTE);
    await pass();
    expect(tracker.issues()).toHaveLength(1);
  });

  test('An issue is created once a test has failed in the required number of runs in a row on the default branch', async () => {
    const { run, looked, tracker, issues } = await stage({ createsAfterFailures: 2 });
    await looked(FAILS);
    await run(FAILS, 'feature');
    await looked(PASSES, FAILS);
    expect(tracker.issues()).toEqual([]);
    await looked(FAILS);
    await looked(FAILS);
    expect(tracker.issues()).toMatchObject([{ title: expect.stringContaining('cart › sums') }]);
    expect(await issues()).toMatchObject([{ createdBy: 'automation', created: true, state: 'open' }]);
  });

  test('A test whose issue was closed and then unlinked gets another issue only after two weeks, and after it has passed and failed again', async () => {
    const { looked, tracker, issues, services, project } = await stage({ createsAfterFailures: 1 });
    await looked(FAILS);
    const [first] = await issues();
    tracker.setState(first?.key ?? '', 'done');
    clock.advance(15 * MINUTE);
    await looked(FAILS);
    await unlinkIssue(services, { ...project, issueId: first?.issueId ?? '' });
    await looked(FAILS);
    expect(tracker.issues()).toHaveLength(1);
    await looked(PASSES, FAILS);
    expect(tracker.issues()).toHaveLength(1);
    clock.advance(15 * DAY);
    await looked(PASSES, FAILS);
    expect(tracker.issues()).toHaveLength(2);
  });

  test('The number of issues created in a day does not exceed the limit of the project', async () => {
    const { looked, tracker } = await stage({ createsAfterFailures: 1, createsPerDay: 1 });
    const all = { ...FAILS, [ROUND]: failed() };
    await looked(all);
    await looked(all);
    expect(tracker.issues()).toHaveLength(1);
    clock.advance(DAY);
    await looked(all);
    await looked(all);
    expect(tracker.issues()).toHaveLength(2);
    expect(new Set(tracker.issues().map(({ title }) => title)).size).toBe(2);
  });

  test.each(['automation closes its issue', 'a person closes its issue'])(
    'A test that alternates between failing and passing for a year gets no second issue within two weeks, even if %s',
    async (closing) => {
      const closes = closing === 'automation closes its issue' ? { closesAfterPasses: 1 } : {};
      const { looked, tracker } = await stage({ createsAfterFailures: 1, createsPerDay: 1, ...closes });
      const created: number[] = [];
      for (let time = 0; time < ALTERNATIONS; time += 1) {
        const before = tracker.issues().length;
        await looked(FAILS);
        if (tracker.issues().length > before) created.push(Date.now());
        expect(tracker.issues().length - before).toBeLessThanOrEqual(1);
        if (closing === 'a person closes its issue')
          for (const { key } of tracker.issues()) tracker.setState(key, 'done');
        await looked(PASSES);
        clock.advance((365 * DAY) / ALTERNATIONS);
      }
      expect(created.length).toBeGreaterThan(1);
      const gaps = created.slice(1).map((at, index) => at - (created[index] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(14 * DAY);
      // Each closed issue says once that the test failed again.
      for (const { comments } of tracker.issues().slice(0, -1))
        expect(comments.filter((text) => text.includes('fail'))).toHaveLength(1);
    },
  );

  test('An issue is created for a test that is flaky repeatedly, but not when the test is flaky for the first time', async () => {
    const { looked, tracker } = await stage({ createsWhenFlaky: true });
    const wobbles = { [SUM]: flaky() };
    await looked(wobbles);
    await looked(PASSES, FAILS);
    expect(tracker.issues()).toEqual([]);
    await looked(wobbles);
    expect(tracker.issues()).toHaveLength(1);
    await looked(wobbles);
    expect(tracker.issues()).toHaveLength(1);
  });

  test('If a tracker refuses to create an issue for a test, Rundown tries again on the next day, and the settings show the error', async () => {
    const { looked, tracker, sent, services, project } = await stage({ createsAfterFailures: 1 });
    tracker.areIssuesDisabled = true;
    sent();
    await looked(FAILS);
    await looked(FAILS);
    expect(sent()).toHaveLength(1);
    expect((await readAutomationOfProject(services, project)).problem).toMatchObject({
      message: expect.stringContaining('An issue could not be created'),
    });
    tracker.areIssuesDisabled = false;
    clock.advance(DAY);
    await looked(FAILS);
    expect(tracker.issues()).toHaveLength(1);
  });
});

describe('An automatic quarantine because of an issue', () => {
  test('begins when the schedule next checks the project, applies only to the test of the issue, and ends when the issue is done', async () => {
    const { pass, rulesNow, archivedNow, tracker, issue } = await stageWithIssue({ quarantines: true });
    await pass();
    await pass();
    expect(await rulesNow()).toMatchObject([
      {
        name: 'Quarantine: cart › sums',
        description: `Until ${issue.key} is done: ${issue.url}`,
        action: [{ op: 'quarantine' }],
        createdBy: 'automation',
        matcher: { cond: [{ value: { pattern: '^cart\\.spec\\.ts$' } }, { value: { pattern: '^sums$' } }] },
      },
    ]);
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await pass();
    expect([await rulesNow(), await archivedNow()]).toMatchObject([[], [{ archivedBy: 'automation' }]]);
    tracker.setState(issue.key, 'open');
    clock.advance(15 * MINUTE);
    await pass();
    expect(await rulesNow()).toHaveLength(1);
  });

  test('ends when the issue is unlinked, and also when the issue is closed after the setting was turned off', async () => {
    const { pass, rulesNow, change, recorded, create, issue, services, project, tracker } = await stageWithIssue({
      quarantines: true,
    });
    const { issue: other } = await create(recorded, ROUND);
    await pass();
    expect(await rulesNow()).toHaveLength(2);
    await change({ quarantines: false });
    await unlinkIssue(services, { ...project, issueId: issue.issueId });
    clock.advance(15 * MINUTE);
    await pass();
    expect(await rulesNow()).toMatchObject([{ name: 'Quarantine: cart › rounds' }]);
    tracker.setState(other.key, 'done');
    clock.advance(15 * MINUTE);
    await pass();
    expect(await rulesNow()).toEqual([]);
  });

  test('does not start again for the same issue after a person has disabled it', async () => {
    const { pass, rulesNow, organizationId, services } = await stageWithIssue({ quarantines: true });
    await pass();
    const [{ actionId } = { actionId: '' }] = await rulesNow();
    await disableRule(services, { organizationId, actionId, actor: OPERATOR });
    clock.advance(15 * MINUTE);
    await pass();
    expect(await rulesNow()).toMatchObject([{ actionId, disabledAt: expect.any(Number) }]);
  });

  test('still lets a failure of the quarantined test count as a failure for the issue', async () => {
    const { pass, rulesNow, run, issues } = await stageWithIssue({ quarantines: true, closesAfterPasses: 1 });
    await pass();
    const [{ actionId } = { actionId: '' }] = await rulesNow();
    const seenBefore = (await issues())[0]?.seenAt ?? 0;
    const annotations = marksOf({ actionId, type: 'quarantine', applied: true });
    await run({ [SUM]: skipped({ annotations, expectedStatus: 'skipped' }) });
    await pass();
    expect((await issues())[0]?.seenAt).toBeGreaterThan(seenBefore);
    expect(await issues()).toMatchObject([{ passes: 0, state: 'open' }]);
  });
});

describe('A connection that does not work', () => {
  test('is not used after the tracker refused its credential, until somebody tests the connection successfully', async () => {
    const { pass, sent, tracker, connection, services, integrationId, organizationId } = await stageWithIssue();
    clock.advance(15 * MINUTE);
    tracker.fail('unauthorized');
    await pass();
    expect(await connection()).toMatchObject({
      refused: { problem: expect.stringContaining('GitHub does not accept') },
    });
    clock.advance(15 * MINUTE);
    sent();
    await pass();
    expect(sent()).toEqual([]);
    await verifyIntegration(services, { organizationId, integrationId, actor: OPERATOR });
    expect(await connection()).not.toHaveProperty('refused');
    sent();
    clock.advance(15 * MINUTE);
    await pass();
    expect(sent()).toHaveLength(1);
  });

  test('is paused for longer after each failure, and pending work is done once the tracker works again', async () => {
    const { run, pass, sent, tracker, connection } = await stage({ createsAfterFailures: 1 });
    await run(FAILS);
    tracker.fail('broken', 'broken', 'broken', 'broken', 'broken');
    sent();
    const pauses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      await pass();
      pauses.push(((await connection())?.pausedUntil ?? 0) - Date.now());
    }
    expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 480_000]);
    expect(sent()).toHaveLength(5);
    await pass();
    expect(sent()).toEqual([]);
    await pass();
    expect(tracker.issues()).toHaveLength(1);
    expect(await connection()).not.toHaveProperty('failures');
  });

  test('is paused until the time at which the rate limit of the tracker ends', async () => {
    const { pass, sent, tracker, connection } = await stageWithIssue();
    clock.advance(15 * MINUTE);
    tracker.fail('limited');
    await pass();
    expect(await connection()).toMatchObject({ pausedUntil: Date.now() + 42_000 });
    expect(await connection()).not.toHaveProperty('failures');
    expect(sent()).toHaveLength(1);
  });

  test('An issue is found again and not created twice if the response of the tracker was lost', async () => {
    const { run, pass, tracker, issues } = await stage({ createsAfterFailures: 1 });
    await run(FAILS);
    tracker.fail('lost');
    await pass();
    expect([tracker.issues().length, await issues()]).toEqual([1, []]);
    await pass();
    expect([tracker.issues().length, (await issues()).length]).toEqual([1, 1]);
  });

  test('A comment is written at most twice if the response of the tracker was lost', async () => {
    const { looked, pass, tracker, issue } = await stageWithIssue({ reportsAgain: true });
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await pass();
    tracker.fail('lost');
    await looked(FAILS);
    await pass();
    await looked(FAILS);
    expect(tracker.issue(issue.key)?.comments).toHaveLength(2);
  });
});

describe('Nothing is sent to a tracker', () => {
  test.each<[name: string, ends: (here: Awaited<ReturnType<typeof stageWithIssue>>) => Promise<unknown>]>([
    [
      'after its connection was removed',
      ({ services, organizationId, integrationId }) =>
        removeIntegration({ ...services, secrets: SECRETS }, { organizationId, integrationId, actor: OPERATOR }),
    ],
    [
      'after the organization was deactivated',
      ({ services, organizationId }) => deactivateOrganization(services, { organizationId, actor: OPERATOR }),
    ],
    [
      'for a project that no longer exists',
      ({ services, project }) => services.table.writeMany([remove(projects, project)]),
    ],
  ])('%s', async (_, ends) => {
    const here = await stageWithIssue({ ...ALL, createsAfterFailures: 1 });
    const { run, pass, sent } = here;
    await run({ ...FAILS, [ROUND]: failed() });
    await ends(here);
    sent();
    await pass();
    clock.advance(15 * MINUTE);
    await pass();
    expect(sent()).toEqual([]);
    expect(await here.noticed()).toEqual([]);
  });

  test('except GET requests if a run is deleted before the schedule processes it', async () => {
    const { run, pass, sent, tracker, issue, services, organizationId } = await stageWithIssue(ALL);
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await pass();
    const { runId } = await run(FAILS);
    await deleteRun(services, { organizationId, runId, actor: OPERATOR });
    sent();
    await pass();
    expect(sent().filter((line) => !line.startsWith('GET'))).toEqual([]);
  });
});

const ALL = { reportsAgain: true, closesAfterPasses: 1, quarantines: true } as const;
const SECRETS = { remove: async () => undefined };

test('No more issue checks are scheduled for a project without automation after its last issue was unlinked', async () => {
  const { run, pass, due, issue, services, project } = await stageWithIssue();
  await run(FAILS);
  expect(await due()).toHaveLength(2);
  await unlinkIssue(services, { ...project, issueId: issue.issueId });
  for (const _ of [1, 2, 3, 4]) await pass();
  expect(await due()).toEqual([]);
});

describe('Repeated checks of the issues of a project', () => {
  /** A closed issue whose test fails again, an open issue whose test passes, and a test that gets an issue. */
  async function everything() {
    const here = await stageWithIssue({ ...ALL, createsAfterFailures: 1 });
    const { recorded, create, tracker, issue, pass, run } = here;
    const { issue: other } = await create(recorded, ROUND);
    tracker.setState(issue.key, 'done');
    clock.advance(15 * MINUTE);
    await pass();
    await run({ ...FAILS, [ROUND]: passed(), 'cart.spec.ts > cart > taxes': failed() });
    clock.advance(5 * MINUTE);
    here.sent();
    return { ...here, other };
  }

  test('Two concurrent checks of a project write each comment only once, close one issue, and create one issue and one quarantine rule', async () => {
    const { services, tracker, issue, other, rulesNow } = await everything();
    await Promise.all([trackIssues(services, UNBOUNDED), trackIssues(services, UNBOUNDED)]);
    await trackIssues(services, UNBOUNDED);
    expect(tracker.issue(issue.key)?.comments).toHaveLength(1);
    expect(tracker.issue(other.key)).toMatchObject({ state: 'done', comments: [expect.stringContaining('passed')] });
    expect(tracker.issues()).toHaveLength(3);
    expect(await rulesNow()).toMatchObject([{ name: 'Quarantine: cart › taxes' }]);
  });

  test('A check of a project that is killed between its writes is completed by the next check, without a second issue, rule or comment', async () => {
    const { services, environment, tracker } = await everything();
    const before = structuredClone(tracker.stored);
    const found = await interruptions({
      // Without the bucket, because the object store checks presigned URLs against the real time.
      environment: { ...environment, ARTIFACTS_BUCKET: '' },
      services,
      handle: (on) => trackIssues(on, UNBOUNDED),
      againAfter: 5 * MINUTE,
      outside: {
        seen: () =>
          tracker
            .issues()
            .flatMap(({ key, title, state, comments }) => [
              `${key} ${title} ${state}`,
              ...comments.map((text) => `${key} ${text.slice(0, 40)}`),
            ]),
        forget: () => void tracker.stored.splice(0, tracker.stored.length, ...structuredClone(before)),
      },
      normal,
    });
    expect(found).toMatchObject({ differing: [], repeated: [] });
  });
});

/** Matches the rows that the schedule writes. Analytics write other rows at the same time. */
const OWN = /"pk":\{"S":"(ISSUES|DUE#issues|RULES|INTEGRATIONS|AUDIT)#/;

/** Leaves out the rows that the schedule does not write, and hides times, random ids and packed values. */
const normal = (line: string): string =>
  line.includes('"pk"') && !OWN.test(line)
    ? ''
    : line
        .replace(/"packed":.*?\}\](?=\},"pk")/, '"packed":"any"')
        .replaceAll(/(?<=AUDIT#)\w{9}#\w+|(?<=RULE#)\w+|(?<="sk":\{"S":")\w{9}(?=#)/g, 'id')
        .replaceAll(/(?<=acme\/shop(#|\/issues\/))\d+/g, 'number')
        .replaceAll(/(?<=[0-9a-f]{32}-)[0-9a-f]{12}/g, 'key')
        .replaceAll(/"(\w*At|\w*Until|at)":\{"N":"\d+"\}/g, '"$1":"time"')
        .replaceAll(
          /"(actionId|auditId|marker|version|updatedAt|countedRun|subject)":\{"[A-Z]":"[^"]*"\}/g,
          '"$1":"any"',
        );

describe('The settings of issue automation', () => {
  test('are off by default, only an Admin can change them, each change is in the audit log, and a stale form is refused', async () => {
    const here = await stage();
    const { services, project, integrationId, organizationId, projectId } = here;
    const off = { reportsAgain: false, createsWhenFlaky: false, createsPerDay: 5, quarantines: false };
    expect(await readAutomation(services, project)).toEqual({ organizationId, projectId, version: 0, ...off });
    const admin = await signedIn(here, 'admin');
    const path = `/${organizationId}/${projectId}/settings`;
    const fields = { version: '0', createsPerDay: '5', closesAfterPasses: '3', quarantines: 'true' };
    expect((await admin.post(`${path}/issues`, fields)).status).toBe(303);
    expect(await readAutomation(services, project)).toMatchObject({ closesAfterPasses: 3, quarantines: true });
    expect((await admin.get(path)).text).toContain('What Rundown does automatically with issues');
    const { records } = await readAudit(services, project);
    const [record] = records.filter(({ action }) => action === 'project changed');
    expect(record?.detail).toBe('issues: closesAfterPasses: off to 3; quarantines: false to true');
    const member = await signedIn(here, 'member');
    expect((await member.post(`${path}/issues`, fields)).status).toBe(403);
    expect((await member.get(path)).text).not.toContain('What Rundown does automatically with issues');
    const stale = await admin.post(`${path}/issues`, { ...fields, integrationId, closesAfterPasses: '4' });
    expect(stale.status).toBe(409);
    expect(stale.text).toContain('Somebody else changed the issue settings');
  });

  test('The form of the issue settings says how to name a project of the connected trackers, and only of these', async () => {
    const here = await stage();
    const admin = await signedIn(here, 'admin');
    const { text } = await admin.get(`/${here.organizationId}/${here.projectId}/settings`);
    expect(text).toContain('GitHub: the repository, such as acme/shop');
    expect(text).not.toMatch(/(?:Jira|GitLab|Linear): the/);
  });

  test.each<[name: string, more: Record<string, string>, problem: string]>([
    [
      'issues are created, but no tracker is chosen',
      { createsAfterFailures: '2' },
      'Choose where the issues are created',
    ],
    [
      'a tracker is chosen without a project',
      { createsWhenFlaky: 'true', integrationId: 'ours' },
      'Enter the project, repository',
    ],
    ['a number is too large', { closesAfterPasses: '51' }, '50'],
    [
      'the organization has no such connection',
      { integrationId: 'theirs', trackerProjectId: 'acme/shop' },
      'Integration',
    ],
  ])('are refused with an explanation if %s', async (_, more, problem) => {
    const here = await stage();
    const admin = await signedIn(here, 'admin');
    const integrationId = more['integrationId'] === 'ours' ? here.integrationId : (more['integrationId'] ?? '');
    const path = `/${here.organizationId}/${here.projectId}/settings/issues`;
    const answer = await admin.post(path, { version: '0', createsPerDay: '5', ...more, integrationId });
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).toContain(problem);
    expect(await readAutomation(here.services, here.project)).toMatchObject({ version: 0 });
  });
});
