/** A pull request of a code host gets only one comment, which each newer run edits. */
import { describe, expect, test } from 'vitest';
import { HOST_KINDS, type HostKind } from '#shared/model/events/notification.ts';
import { makeOutboxRow, outbox } from '#shared/model/events/outbox.ts';
import { GITLAB } from '#shared/notifications/hosts/gitlab-wire.ts';
import { allNodes, parse } from '#test/context/parse-back.ts';
import { HEAD, MERGE, reply, troubleFor } from '#test/harness/code-host.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, flaky, passed, type TestState } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { ofPull, run, runAtOnce, type Stage, stage } from './stage.ts';

deliverEvents();

type Tests = Readonly<Record<`${string} > ${string}`, TestState>>;

const inFeature = (here: Stage, build: string, tests: Tests, pull = 7) =>
  runAtOnce(here, build, tests, here.ofPull(pull));

const ended = async (here: Stage, count: number) =>
  (await here.settled(count)).filter(({ event }) => event === 'RunEnded');

describe('The comment on a pull request', () => {
  test('The comment lists newly failed, still failing, flaky and fixed tests, and the next run edits the comment', async () => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    await runAtOnce(here, 'base', { 'a.spec.ts > a': failed(), 'b.spec.ts > b': passed(), 'c.spec.ts > c': failed() });
    const first = await inFeature(here, 'first', {
      'a.spec.ts > a': failed(),
      'b.spec.ts > b': failed(),
      'c.spec.ts > c': passed(),
      'd.spec.ts > d': flaky(),
    });
    await ended(here, 2);
    const [comment, ...others] = here.host.comments;
    expect(others).toEqual([]);
    expect(comment?.issue).toBe('7');
    const lines = comment?.body.split('\n') ?? [];
    expect(lines[0]).toMatch(/^<!-- rundown [0-9a-f]{32} -->$/);
    expect(lines[1]).toBe('### ` Shop `: 2 failed, 1 flaky of 4');
    expect(comment?.body).toContain(`${here.organizationId}/${here.projectId}/runs/${first.runId}`);
    const row = (word: string, name: string) =>
      lines.some((line) => line.startsWith(`| ${word}`) && line.includes(name));
    expect([row('new', '` b `'), row('still failing', '` a `'), row('fixed', '` c `'), row('flaky', '` d `')]).toEqual(
      Array(4).fill(true),
    );
    expect(comment?.body).toContain(`/instances/${first.instances['retail b.spec.ts']}/test?test_id=`);
    await inFeature(here, 'second', { 'a.spec.ts > a': passed(), 'b.spec.ts > b': passed() });
    await ended(here, 3);
    expect(here.host.comments.map(({ body, edits }) => [body.split('\n')[1], edits])).toEqual([
      ['### ` Shop `: 2 passed of 2', 1],
    ]);
  });

  test('Repeated jobs for a finished delivery neither add a second comment nor edit the first', async () => {
    const here = await stage();
    await here.save();
    const recorded = await inFeature(here, 'build', { 'a.spec.ts > a': failed() });
    await here.settled(2);
    const [event] = (await here.deliveries()).filter(({ event: type }) => type === 'RunEnded');
    const { organizationId, projectId } = here;
    const again = { ...event, organizationId, projectId, runId: recorded.runId };
    const job = { organizationId, hookId: here.key.hookId, deliveryId: again.deliveryId ?? '', attempt: 0 };
    for (let time = 0; time < 5; time += 1) {
      const content = { kind: 'notification', job } as const;
      await here.services.table.put(
        outbox,
        makeOutboxRow('again', { at: Date.now(), outboxId: `again-${time}`, content }),
      );
    }
    await runAtOnce(here, 'after', { 'a.spec.ts > a': failed() }, ofPull(8));
    await here.settled(4);
    expect(here.host.comments.map(({ issue, edits }) => [issue, edits])).toEqual([
      ['7', 0],
      ['8', 0],
    ]);
  });

  test('The comment is found again by its hidden marker if the response of GitHub was lost', async () => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    for (let number = 0; number < 60; number += 1) here.host.say('7', `Comment ${number}`);
    // GitHub stores the comment, but its response is lost.
    here.host.trouble = (response, received) => {
      if (received.method !== 'POST') return false;
      here.host.trouble = () => false;
      const { body } = JSON.parse(received.body);
      here.host.say('7', body);
      response.destroy();
      return true;
    };
    await inFeature(here, 'build', { 'a.spec.ts > a': failed() });
    await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade > 0)).toBe(true);
    clock.advance(7000);
    await ended(here, 1);
    const own = here.host.comments.filter(({ body }) => body.startsWith('<!-- rundown'));
    expect(own.map(({ edits }) => edits)).toEqual([1]);
  });

  test('The comment is written again if somebody deleted it', async () => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    await inFeature(here, 'first', { 'a.spec.ts > a': failed() });
    await ended(here, 1);
    here.host.comments.length = 0;
    await inFeature(here, 'second', { 'a.spec.ts > a': failed() });
    await ended(here, 2);
    expect(here.host.comments).toHaveLength(1);
  });

  test('The comment keeps showing the newest run if an older run ends later', async () => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    const open = { 'a.spec.ts > a': failed(), 'b.spec.ts > b': undefined };
    await run(here, 'older', { retail: { tests: open } }, ofPull(7));
    await inFeature(here, 'newer', { 'a.spec.ts > a': passed(), 'b.spec.ts > b': passed() });
    await ended(here, 1);
    await run(
      here,
      'older',
      { retail: { tests: { 'a.spec.ts > a': failed(), 'b.spec.ts > b': failed() } } },
      ofPull(7),
    );
    const [, late] = await ended(here, 2);
    expect(late).toMatchObject({ status: 'dropped', attempts: [{ error: 'A newer run has already been reported' }] });
    expect(here.host.comments.map(({ body, edits }) => [body.includes('2 passed of 2'), edits])).toEqual([[true, 0]]);
  });

  test.each<[HostKind, string, string]>([
    ['github', 'evil/other', '/acme/shop/'],
    ['gitlab', 'evil/acme/web/shop', '/acme%2Fweb%2Fshop/'],
  ])(
    'No comment is written if the run names a pull request of another repository: on %s, %s',
    async (kind, other, own) => {
      const here = await stage(kind);
      await here.save();
      await runAtOnce(here, 'build', { 'a.spec.ts > a': failed() }, here.ofPull(7, HEAD, other));
      await here.settled(2);
      expect(here.host.comments).toEqual([]);
      expect(here.host.received.every(({ path }) => path.includes(own) && path.includes('/statuses/'))).toBe(true);
    },
  );

  test.each([
    ['another commit', ofPull(7, 'c'.repeat(40)), []],
    ['no commit', { ...ofPull(7), sha: null, ghaEventData: { ...ofPull(7).ghaEventData, headSha: null } }, []],
    ['its merge commit only', { ...ofPull(7, 'c'.repeat(40)), sha: MERGE }, ['7']],
    ['its head in upper case', ofPull(7, HEAD.toUpperCase()), ['7']],
  ])(
    'The comment is written only if the run tested the head or the merge commit of the pull request: %s',
    async (_, commit, commented) => {
      const here = await stage();
      await here.save({ sendsStatus: false });
      await runAtOnce(here, 'build', { 'a.spec.ts > a': failed() }, commit);
      const [delivery] = await ended(here, 1);
      expect(here.host.comments.map(({ issue }) => issue)).toEqual(commented);
      if (commented.length === 0)
        expect(delivery).toMatchObject({
          status: 'dropped',
          attempts: [{ error: expect.stringContaining('not the commit') }],
        });
      expect(await here.notificationNow()).not.toHaveProperty('disabled');
    },
  );

  test.each(HOST_KINDS)(
    'A delivery to an unknown pull request of %s is dropped, and the notification stays enabled',
    async (kind) => {
      const here = await stage(kind);
      await here.save({ sendsStatus: false });
      here.host.unknownPulls.add('7');
      await inFeature(here, 'build', { 'a.spec.ts > a': failed() });
      const [delivery] = await ended(here, 1);
      expect(delivery).toMatchObject({
        status: 'dropped',
        attempts: [{ error: expect.stringMatching(/^The (repository has no pull|project has no merge) request 7$/) }],
      });
      expect(await here.notificationNow()).not.toHaveProperty('disabled');
    },
  );
});

const GITLAB_COM = 'https://gitlab.com/api/v4';
const BELOW_A_PATH = 'https://code.example.com/gitlab/api/v4';

test.each([
  ['https://gitlab.com/acme/web/shop/-/merge_requests/7', GITLAB_COM, 'acme/web/shop', '7'],
  ['https://gitlab.com/ACME/web/shop/merge_requests/7/diffs?x#y', GITLAB_COM, 'acme/web/shop', '7'],
  ['https://code.example.com/gitlab/acme/shop/-/merge_requests/7', BELOW_A_PATH, 'acme/shop', '7'],
  ['https://code.example.com/acme/shop/-/merge_requests/7', BELOW_A_PATH, 'acme/shop', undefined],
  ['https://gitlab.com/evil/acme/shop/-/merge_requests/7', GITLAB_COM, 'acme/shop', undefined],
  ['https://gitlab.com/acme/shop/-/issues/7', GITLAB_COM, 'acme/shop', undefined],
  ['merge request 7', GITLAB_COM, 'acme/shop', undefined],
  ['https://gitlab.com/acme/shop/-/merge_requests/7', GITLAB_COM, '4711', '7'],
])(
  'In the link %s, with the API of GitLab at %s and the project %s, the recognized number of a merge request is %s',
  (link, apiUrl, repository, number) => {
    expect(GITLAB.numberIn(link, { apiUrl, repository })).toBe(number);
  },
);

describe('A run without a link to its pull request', () => {
  const TESTS = { 'a.spec.ts > a': failed() };
  const recorded = (here: Stage, sha: string, params: object) =>
    uploadRun(here, TESTS, { ciBuildId: JSON.stringify(params), commit: { ...COMMIT, sha }, ci: { params } });
  const REPORT =
    '<testsuites><testsuite name="a"><testcase name="a" file="a.test.ts"><failure/></testcase></testsuite></testsuites>';

  test('A merge request gets a comment about a run that names only the number of the merge request, whether a client recorded the run or it was imported', async () => {
    const here = await stage('gitlab');
    await here.save({ sendsStatus: false });
    // The three runs come from a merged results pipeline, from a branch pipeline and from an import.
    await recorded(here, MERGE, { ciMergeRequestIid: '7', ciMergeRequestTitle: 'Net prices' });
    await recorded(here, HEAD, { ciOpenMergeRequests: 'acme/web/shop!8,acme/web/fork!9' });
    await here.api.send('POST', `/projects/${here.projectId}/imports?pullRequest=9&sha=${HEAD}`, REPORT);
    await ended(here, 3);
    expect(here.host.comments.map(({ issue }) => issue).sort()).toEqual(['7', '8', '9']);
  });
});

test('A merge request on GitLab gets one comment even if a response was lost, and no name in the comment is a reference or a quick action', async () => {
  const here = await stage('gitlab');
  await here.save({ sendsStatus: false });
  for (let number = 0; number < 120; number += 1) here.host.say('7', `Comment ${number}`);
  // GitLab stores the comment, but its response is lost.
  here.host.trouble = (response, received) => {
    if (received.method !== 'POST') return false;
    here.host.trouble = () => false;
    here.host.answerTo(received);
    response.destroy();
    return true;
  };
  const hostile = '/close\n/merge @all #1 !1 ~bug %2 $3 :tada: `';
  await inFeature(here, hostile, { [`/label ~bug.ts > ${hostile}`]: failed() });
  await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade > 0)).toBe(true);
  clock.advance(7000);
  await ended(here, 1);
  const own = here.host.comments.filter(({ body }) => body.startsWith('<!-- rundown'));
  expect(own.map(({ issue, edits }) => [issue, edits])).toEqual([['7', 1]]);
  const lines = own[0]?.body.split('\n') ?? [];
  expect(lines.filter((line) => line.startsWith('/'))).toEqual([]);
  const texts = allNodes(parse(lines.join('\n'))).flatMap((node) => (node.type === 'text' ? [node.value] : []));
  expect(texts.join(' ')).not.toMatch(/[@#!~%$]|\/close|:tada:/);
});

test('If GitHub responds with 503, the next attempt writes the comment only once', async () => {
  const here = await stage();
  await here.save({ sendsStatus: false });
  troubleFor(here.host, 1, (response) => reply(response, 503, { message: 'Unavailable' }, { 'retry-after': '5' }));
  await inFeature(here, 'build', { 'a.spec.ts > a': failed() });
  await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade > 0)).toBe(true);
  clock.advance(8000);
  await ended(here, 1);
  expect(here.host.comments).toHaveLength(1);
});
