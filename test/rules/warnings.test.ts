import { describe, expect, test } from 'vitest';
import { getRule } from '#shared/rules/find-rule.ts';
import { suggestQuarantine } from '#shared/rules/suggest-quarantine.ts';
import { reviewRule } from '#shared/rules/warnings.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { flaky, passed, pending } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { clock, service } from '#test/harness/service.ts';

const PAYS = 'pay.spec.ts > pays';
const DAY = 24 * 3_600_000;

type Stage = Awaited<ReturnType<typeof service>>;

async function create(stage: Stage, more: object = {}): Promise<string> {
  const matcher = { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'pays' }] };
  const rule = { name: 'Cards', action: [{ op: 'quarantine' }], matcher, ...more };
  return (await stage.api.post(`/actions?projectId=${stage.projectId}`, rule)).body.data.actionId;
}

async function warningsOf(stage: Stage, actionId: string) {
  const { services, organizationId } = stage;
  const rule = await getRule(services, { organizationId, actionId });
  return (await reviewRule(services, organizationId, rule)).warnings;
}

const matchedBy = (actionId: string) => ({ annotations: marksOf({ actionId, type: 'quarantine' }) });

/** Records `times` runs in which the rule matched the test. */
async function matched(stage: Stage, actionId: string, times: number, state = passed): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    clock.advance(1000);
    const ciBuildId = crypto.randomUUID();
    await uploadRun(stage, { [PAYS]: state(matchedBy(actionId)) }, { ciBuildId });
  }
}

describe('The warnings of a rule', () => {
  test('A rule that never expires has a warning', async () => {
    const stage = await service();
    expect(await warningsOf(stage, await create(stage))).toEqual(['noExpiry']);
    expect(await warningsOf(stage, await create(stage, { expiresAfter: '2027-01-01' }))).toEqual([]);
  });

  test('A rule that has matched no test for 30 days has a warning, but not in the first 30 days after its creation', async () => {
    const stage = await service();
    const actionId = await create(stage, { expiresAfter: '2028-01-01' });
    clock.advance(29 * DAY);
    expect(await warningsOf(stage, actionId)).toEqual([]);
    clock.advance(2 * DAY);
    expect(await warningsOf(stage, actionId)).toEqual(['unmatched']);
    await matched(stage, actionId, 1);
    expect(await warningsOf(stage, actionId)).toEqual([]);
    clock.advance(31 * DAY);
    expect(await warningsOf(stage, actionId)).toEqual(['unmatched']);
  });

  test('A rule has a warning if its quarantined tests have at least 10 recent executions, and all of these passed', async () => {
    const stage = await service();
    const actionId = await create(stage, { expiresAfter: '2028-01-01' });
    await matched(stage, actionId, 9);
    expect(await warningsOf(stage, actionId)).toEqual([]);
    await matched(stage, actionId, 1);
    expect(await warningsOf(stage, actionId)).toEqual(['alwaysGreen']);
    await matched(stage, actionId, 1, pending);
    expect(await warningsOf(stage, actionId)).toEqual([]);
    const tests = Array.from({ length: 20 }, (_, number) => [`${PAYS} ${number}`, passed(matchedBy(actionId))]);
    clock.advance(1000);
    await uploadRun(stage, Object.fromEntries(tests), { ciBuildId: 'many' });
    expect(await warningsOf(stage, actionId)).toEqual(['alwaysGreen']);
  });

  test('A rule has no warning while it is disabled', async () => {
    const stage = await service();
    const actionId = await create(stage);
    await stage.api.send('PUT', `/actions/${actionId}/disable`);
    expect(await warningsOf(stage, actionId)).toEqual([]);
  });
});

describe('A suggested quarantine', () => {
  test('Suggested quarantines list the flaky tests that no active rule quarantines, and do not become rules automatically', async () => {
    const stage = await service();
    for (const ciBuildId of ['one', 'two', 'three']) await uploadRun(stage, { [PAYS]: flaky() }, { ciBuildId });
    await compileRuns(stage);
    const suggested = async () => (await suggestQuarantine(stage.services, stage)).map(({ title }) => title.join());
    expect(await suggested()).toEqual(['pays']);
    const tag = { action: [{ op: 'tag', details: { tags: ['a'] } }] };
    await create(stage, tag);
    expect(await suggested()).toEqual(['pays']);
    const actionId = await create(stage);
    expect(await suggested()).toEqual([]);
    await stage.api.send('PUT', `/actions/${actionId}/disable`);
    expect(await suggested()).toEqual(['pays']);
    expect((await stage.reader.get(`/actions?projectId=${stage.projectId}`)).body.data).toHaveLength(2);
  });
});
