/** A pull request gets only one comment, which each newer run edits. */
import { describe, expect, test } from 'vitest';
import { outbox, outboxRow } from '#shared/model/events/outbox.ts';
import { HEAD, MERGE, reply, troubleFor } from '#test/harness/github.ts';
import { failed, flaky, passed, type TestState } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { ofPull, run, runAtOnce, type Stage, stage } from './stage.ts';

deliverEvents();

type Tests = Readonly<Record<`${string} > ${string}`, TestState>>;

const inFeature = (here: Stage, build: string, tests: Tests, pull = 7) => runAtOnce(here, build, tests, ofPull(pull));

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
    const [comment, ...others] = here.github.comments;
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
    expect(here.github.comments.map(({ body, edits }) => [body.split('\n')[1], edits])).toEqual([
      ['### ` Shop `: 2 passed of 2', 1],
    ]);
  });

  test('Repeated and concurrent events of one run leave only one comment', async () => {
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
      await here.services.table.put(outbox, outboxRow('again', { at: Date.now(), outboxId: `again-${time}`, content }));
    }
    await runAtOnce(here, 'after', { 'a.spec.ts > a': failed() }, ofPull(8));
    await here.settled(4);
    expect(here.github.comments.map(({ issue, edits }) => [issue, edits])).toEqual([
      ['7', 0],
      ['8', 0],
    ]);
  });

  test('The comment is found again by its hidden marker if the response of GitHub was lost', async () => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    for (let number = 0; number < 60; number += 1) here.github.say('7', `Comment ${number}`);
    // GitHub stores the comment, but its response is lost.
    troubleFor(here.github, 1, () => undefined);
    here.github.trouble = (response, received) => {
      if (received.method !== 'POST') return false;
      here.github.trouble = () => false;
      const { body } = JSON.parse(received.body);
      here.github.say('7', body);
      response.destroy();
      return true;
    };
    await inFeature(here, 'build', { 'a.spec.ts > a': failed() });
    await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade > 0)).toBe(true);
    clock.advance(7000);
    await ended(here, 1);
    const own = here.github.comments.filter(({ body }) => body.startsWith('<!-- rundown'));
    expect(own.map(({ edits }) => edits)).toEqual([1]);
  });

  test('The comment is written again if somebody deleted it', async () => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    await inFeature(here, 'first', { 'a.spec.ts > a': failed() });
    await ended(here, 1);
    here.github.comments.length = 0;
    await inFeature(here, 'second', { 'a.spec.ts > a': failed() });
    await ended(here, 2);
    expect(here.github.comments).toHaveLength(1);
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
    expect(late).toMatchObject({ status: 'dropped', attempts: [{ error: 'A newer run has already reported' }] });
    expect(here.github.comments.map(({ body, edits }) => [body.includes('2 passed of 2'), edits])).toEqual([[true, 0]]);
  });

  test('The comment is never written to another repository', async () => {
    const here = await stage();
    await here.save();
    await runAtOnce(here, 'build', { 'a.spec.ts > a': failed() }, ofPull(7, HEAD, 'evil/other'));
    await here.settled(2);
    expect(here.github.comments).toEqual([]);
    expect(here.github.received.every(({ path }) => path.includes('/acme/shop/'))).toBe(true);
  });

  test.each([
    ['another commit', ofPull(7, 'c'.repeat(40)), []],
    ['no commit', { ...ofPull(7), sha: null, ghaEventData: { ...ofPull(7).ghaEventData, headSha: null } }, []],
    ['its merge commit only', { ...ofPull(7, 'c'.repeat(40)), sha: MERGE }, ['7']],
    ['its head in upper case', ofPull(7, HEAD.toUpperCase()), ['7']],
  ])('The comment is written only if the run tested the head of the pull request: %s', async (_, commit, commented) => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    await runAtOnce(here, 'build', { 'a.spec.ts > a': failed() }, commit);
    const [delivery] = await ended(here, 1);
    expect(here.github.comments.map(({ issue }) => issue)).toEqual(commented);
    if (commented.length === 0)
      expect(delivery).toMatchObject({
        status: 'dropped',
        attempts: [{ error: expect.stringContaining('not the commit') }],
      });
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
  });

  test('A delivery to an unknown pull request is dropped, and the notification stays enabled', async () => {
    const here = await stage();
    await here.save({ sendsStatus: false });
    here.github.unknownPulls.add('7');
    await inFeature(here, 'build', { 'a.spec.ts > a': failed() });
    const [delivery] = await ended(here, 1);
    expect(delivery).toMatchObject({
      status: 'dropped',
      attempts: [{ error: 'The repository has no pull request 7' }],
    });
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
  });
});

test('If GitHub responds with 503 to a comment, the next attempt writes the comment only once', async () => {
  const here = await stage();
  await here.save({ sendsStatus: false });
  troubleFor(here.github, 1, (response) => reply(response, 503, { message: 'Unavailable' }, { 'retry-after': '5' }));
  await inFeature(here, 'build', { 'a.spec.ts > a': failed() });
  await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade > 0)).toBe(true);
  clock.advance(8000);
  await ended(here, 1);
  expect(here.github.comments).toHaveLength(1);
});
