/** Interrupts scheduled work between its writes, and lets the next run of the schedule complete the work. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { runNightlyAudit } from '#shared/analytics/audit-all.ts';
import { ANALYTICS_LIMITS } from '#shared/analytics/limits.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { put, remove } from '#shared/engine/table/writes.ts';
import { EVENT_LIMITS } from '#shared/events/limits.ts';
import { resendOutbox } from '#shared/events/resend.ts';
import { retryAllDeliveries } from '#shared/events/retry-deliveries.ts';
import { deleteRun, finishDeletions } from '#shared/lifecycle/delete-run.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { removeExpiredFiles } from '#shared/lifecycle/remove-expired-files.ts';
import { timeOutRuns } from '#shared/lifecycle/time-out-runs.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { countLeaves } from '#shared/model/analytics/root.ts';
import { dueAnalytics, dueDeliveries, dueNotifications, getNextMultiple } from '#shared/model/due.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { artifacts, getInstanceArtifactsSpan, getUploadKey } from '#shared/model/results/artifact.ts';
import { cleanUpTokens } from '#shared/organizations/clean-up-tokens.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { confirmArtifacts, TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import { createTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { deadTokens } from '#test/access/many-tokens.ts';
import { refusing } from '#test/events/own-service.ts';
import { deliveryRow, eventsRow, runEvent } from '#test/events/rows.ts';
import { marksCorrection } from '#test/harness/analytics.ts';
import { ownDestinations } from '#test/harness/destinations.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { dyingAfter, mortal } from '#test/harness/interrupted-table.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { queueOf } from '#test/harness/queues.ts';
import { claim, createRecord, firstMessage, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import { correctTest, uploadRun } from '#test/harness/recording-batch.ts';
import { failed, flaky, passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, FAR_FUTURE, service } from '#test/harness/service.ts';
import { contentOf, restore } from '#test/harness/stored-content.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SUMS = 'cart.spec.ts > sums';
const UNBOUNDED = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };

type Stage = Awaited<ReturnType<typeof stage>>;

/**
 * Creates a tenant. Its rows and files are removed at the end of the test, because schedules read the data of all
 * tenants.
 */
async function stage() {
  clock.set(FAR_FUTURE);
  const tenant = await service();
  const { environment } = tenant;
  await queueOf(environment, 'confirmArtifact').delay(900);
  const empty = await contentOf(environment);
  onTestFinished(() => restore(environment, empty));
  return tenant;
}

/** Replaces the times at which the work was done, because interrupted work is done later. */
const withoutTimes =
  (...names: readonly string[]) =>
  (line: string): string =>
    line.replaceAll(new RegExp(`"(${names.join('|')})":\\{"N":"\\d+"\\}`, 'g'), '"$1":"time"');

/**
 * Hides what may differ after repeated work: the version of a summary, and a digest that depends on the order in which
 * the database returned map entries.
 */
const withoutVersions = (line: string): string =>
  line.replaceAll(/"version":\{"N":"\d+"\}/g, '"version":"any"').replace(/"digest":\{"S":"[\w-]+"\}/, '"digest":"any"');

/** Also hides a mark that makes analytics read the run again. */
const withoutMarks = (line: string): string => (marksCorrection(line) ? '' : withoutVersions(line));

/**
 * Records a run of two spec files with three artifacts: one is confirmed, one is uploaded, and one is only announced.
 */
async function runWithFiles(tenant: Stage, ciBuildId = 'files') {
  const { services, organizationId, api } = tenant;
  const tests = { [SUMS]: failed(), 'cart.spec.ts > rounds': flaky(), 'tax.spec.ts > adds': passed() };
  const { runId, records, instances } = await recordRun(tenant, { retail: { tests } }, { ciBuildId });
  for (const [test, artifactId] of [
    [SUMS, 'arrived'],
    ['tax.spec.ts > adds', 'uploaded'],
    ['cart.spec.ts > rounds', 'announced'],
  ] as const) {
    const body = { artifactId, type: 'attachment', name: artifactId, attemptId: 0, contentType: 'text/plain' };
    const answer = await api.post(`@/artifacts/test-record/${records[`retail ${test}`]}`, body);
    if (artifactId === 'announced') continue;
    const request = { method: 'PUT', body: 'content', headers: { 'content-type': 'text/plain' } };
    expect((await fetch(answer.body.uploadUrl, request)).status).toBe(200);
  }
  const instanceId = instances['retail cart.spec.ts'] ?? '';
  for (const row of await services.table.queryAll(artifacts, getInstanceArtifactsSpan({ organizationId, instanceId })))
    await confirmArtifacts(inFreeSlot(services, TRACE_CAPS), {
      Records: [{ s3: { object: { key: getUploadKey(row) } } }],
      rounds: 0,
    });
  return runId;
}

describe('A clean-up that is interrupted between its writes', () => {
  test('An interrupted clean-up of tokens is completed by the next clean-up, with one audit record per token', async () => {
    const { services, environment, tenant, ...first } = await stage();
    const all = [first, await tenant(), await tenant()];
    for (const { organizationId } of all) await deadTokens(services, organizationId, 3);
    // The first call reaches its time limit and leaves a checkpoint.
    const handle = async (on: typeof services) => {
      let organizations = 2;
      const remainingMilliseconds = () => {
        organizations -= 1;
        return organizations >= 0 ? HOUR : 0;
      };
      await cleanUpTokens(on, { remainingMilliseconds });
      await cleanUpTokens(on, UNBOUNDED);
    };
    const found = await interruptions({
      environment,
      services,
      handle,
      againAfter: DAY,
      // The sort key of an audit record consists of its time and a random id.
      normal: (line) => {
        const row = withoutTimes('revokedAt', 'at', 'expiresAt')(line);
        const key = /"(sk|auditId)":\{"S":"[^"]*"\}/g;
        return row.includes('"pk":{"S":"AUDIT#') ? row.replaceAll(key, '"$1":"time and id"') : row;
      },
    });
    expect(found).toMatchObject({ differing: [], repeated: [] });
  });

  test('An interrupted clean-up of deleted runs is completed by the next clean-up', async () => {
    const here = await stage();
    const { services, environment, organizationId } = here;
    const runId = await runWithFiles(here);
    const half = { organizationId, runId, actor: OPERATOR };
    await expect(deleteRun(dyingAfter(services, 1), half)).rejects.toThrow('died');
    clock.advance(MINUTE + 1);
    const handle = (on: typeof services) => finishDeletions(on, UNBOUNDED);
    const normal = withoutTimes('deletedAt', 'expiresAt');
    const found = await interruptions({ environment, services, handle, againAfter: MINUTE, normal });
    expect(found).toMatchObject({ differing: [], repeated: [] });
  });

  test('An interrupted clean-up of expired files is completed by the next clean-up', async () => {
    const here = await stage();
    const { services, environment, organizationId, projectId } = here;
    const settings = { retention: { resultsDays: 3, evidenceDays: 2, filesDays: 1 } };
    await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
    await runWithFiles(here);
    clock.advance(DAY + 6 * MINUTE);
    const handle = (on: typeof services) => removeExpiredFiles(on, UNBOUNDED);
    const found = await interruptions({ environment, services, handle, againAfter: 5 * MINUTE });
    expect(found).toMatchObject({ differing: [], repeated: [] });
  });
});

describe('A timeout sweep that is interrupted between its writes', () => {
  test.each<[name: string, begin: (here: Stage) => Promise<unknown>]>([
    [
      'a run with a running test and an unclaimed spec file',
      async (here) => {
        const tests = [SUMS, 'cart.spec.ts > rounds', 'tax.spec.ts > adds'];
        const run = await startRun(here, [suiteGroup('retail', tests), suiteGroup('wholesale', tests)]);
        const claimed = await claim(here, run, 'cart.spec.ts');
        await createRecord(here, claimed, SUMS, failed());
        await createRecord(here, claimed, 'cart.spec.ts > rounds', running());
        clock.advance(31 * MINUTE);
      },
    ],
    [
      'a run that reported a short time ago',
      async (here) => {
        const run = await startRun(here, [suiteGroup('retail', [SUMS, 'tax.spec.ts > adds'])]);
        clock.advance(20 * MINUTE);
        const claimed = await claim(here, run, 'cart.spec.ts');
        await createRecord(here, claimed, SUMS, passed());
        clock.advance(11 * MINUTE);
      },
    ],
    [
      'a run whose last result was interrupted before it ended the run',
      async (here) => {
        const run = await startRun(here, [suiteGroup('retail', [SUMS])]);
        const claimed = await claim(here, run, 'cart.spec.ts');
        const sent = { ...firstMessage(claimed, SUMS, failed()), _t: 1 };
        const message = { organizationId: here.organizationId, body: CreateTestRecordBody.parse(sent), sent };
        await expect(createTestRecord(mortal(here.services, 1).services, message)).rejects.toThrow('died');
        clock.advance(31 * MINUTE);
      },
    ],
    [
      'a cancelled run with a late result',
      async (here) => {
        const run = await startRun(here, [suiteGroup('retail', [SUMS, 'tax.spec.ts > adds'])]);
        const claimed = await claim(here, run, 'cart.spec.ts');
        const recordId = await createRecord(here, claimed, SUMS, running());
        expect(await here.api.put(`/runs/${run.runId}/cancel`)).toMatchObject({ status: 200 });
        await updateRecord(here, recordId, passed(), 1);
        clock.advance(LIFECYCLE_LIMITS.settlePauseMilliseconds + 1000);
      },
    ],
  ])('An interrupted timeout sweep over %s is completed by the next sweep', async (_, begin) => {
    const here = await stage();
    const { services, environment } = here;
    await begin(here);
    const handle = (on: typeof services) => timeOutRuns(on, UNBOUNDED);
    const found = await interruptions({ environment, services, handle, normal: withoutMarks });
    expect(found).toMatchObject({ differing: [], repeated: [] });
  });
});

/** When the next work on analytics is due. */
async function nextDue(environment: Stage['environment']): Promise<number | undefined> {
  const rows = await itemsOf(environment, ({ pk }) => String(pk).startsWith('DUE#analytics#'));
  return rows.map((row) => dueAnalytics.load(row).dueAt).sort((one, other) => one - other)[0];
}

describe('Analytics that are interrupted between their writes', () => {
  test('Interrupted analytics leave the same data as uninterrupted ones once later sweeps have completed the work', async () => {
    const here = await stage();
    // Begins on the last day of a span of every level, so that the summaries of all levels become due the day after.
    const longest = countLeaves(ANALYTICS_LIMITS.levels) * MODEL_LIMITS.leafMilliseconds;
    const begins = Math.ceil(FAR_FUTURE / longest) * longest - 14 * HOUR;
    clock.set(begins);
    const { services, environment } = here;
    const sum = 'cart.spec.ts > cart > sums';
    const record = (ciBuildId: string, state = passed()) =>
      uploadRun(here, { [sum]: state, 'pay.spec.ts > pays': passed() }, { ciBuildId });
    await record('first', failed());
    await record('second');
    clock.advance(1);
    await sweepAnalytics(services, UNBOUNDED);
    clock.advance(12 * HOUR);
    await sweepAnalytics(services, UNBOUNDED);
    await correctTest(here, 'first', sum, passed());
    await record('third');
    // Sweeps until no work is left, because an interrupted sweep may leave its work to a later one.
    const handle = async (on: typeof services) => {
      for (let due = await nextDue(environment); due !== undefined; due = await nextDue(environment)) {
        clock.set(getNextMultiple(Math.max(due, Date.now()), MINUTE));
        expect(Date.now()).toBeLessThan(begins + 2 * DAY);
        expect(await sweepAnalytics(on, UNBOUNDED)).toMatchObject({ failed: 0, finished: true });
      }
    };
    // A repeated merge writes a new random generation and version, but the same content.
    const generations = (line: string) =>
      withoutVersions(line)
        .replaceAll(/"(?:generation|g)":\{"S":"\w{12}"\}/g, '"generation":"random"')
        .replace(/"v":\{"N":"\d+"\}/, '"v":"any"')
        .replace(/(?<="sk":\{"S":")[0-9a-f]{12}(?=#)/, 'generation');
    const found = await interruptions({ environment, services, handle, normal: generations });
    expect(found).toMatchObject({ differing: [], repeated: [] });
  });

  test('An interrupted audit of analytics is completed by the next nightly audit', async () => {
    const here = await stage();
    const { services, environment } = here;
    const all = [here, { ...here, ...(await here.tenant()) }];
    const leaf = getLeaf(Date.now());
    for (const tenant of all) {
      for (const ciBuildId of ['first', 'second']) await uploadRun(tenant, { [SUMS]: passed() }, { ciBuildId });
      const marks = await services.table.queryAll(pendingRuns, getPendingRunsSpan(tenant, leaf, leaf), {
        consistent: true,
      });
      await services.table.writeMany(marks.map((mark) => remove(pendingRuns, mark)));
    }
    const handle = async (on: typeof services) => {
      let organizations = 1;
      const remainingMilliseconds = () => {
        organizations -= 1;
        return organizations >= 0 ? HOUR : 0;
      };
      await runNightlyAudit(on, { remainingMilliseconds });
      await runNightlyAudit(on, UNBOUNDED);
    };
    const found = await interruptions({ environment, services, handle });
    expect(found).toMatchObject({ differing: [], repeated: [] });
  });
});

/** Creates a table, an event bus and queues. `sends` wraps work so that `outside` lists what the work sends to them. */
async function sending() {
  const { environment, services, events, jobs, notificationJobs, refuseEvents } = await ownDestinations();
  const sent: string[] = [];
  const outside = { seen: () => [...sent].sort(), forget: () => void sent.splice(0) };
  const sends = (work: (on: typeof services) => Promise<unknown>) => async (on: typeof services) => {
    try {
      return await work(on);
    } finally {
      for (const { detail } of await events()) sent.push(`event ${JSON.stringify(detail)}`);
      for (const job of await jobs()) sent.push(`webhook ${JSON.stringify(job)}`);
      for (const job of await notificationJobs()) sent.push(`notification ${JSON.stringify(job)}`);
    }
  };
  return { environment, services, outside, sends, refuseEvents };
}

describe('A sweep that is interrupted between its writes', () => {
  test('An interrupted sweep of outbox rows is completed by the next sweep, which may send an event a second time with the same id', async () => {
    const { sends, refuseEvents, ...of } = await sending();
    const { table } = of.services;
    const rows = [
      eventsRow(runEvent('one'), runEvent('two')),
      deliveryRow('delivery-1'),
      eventsRow(runEvent('poisoned')),
    ];
    await table.writeMany(rows.map((row) => put(outbox, row)));
    const retries = ['again', 'poisoned-again'].map((name) => ({
      shard: 1,
      retryId: name,
      dueAt: Date.now(),
      tries: 1,
      reason: 'refused',
      at: Date.now(),
      content: { kind: 'events' as const, events: [runEvent(name)] },
    }));
    const last = EVENT_LIMITS.outboxRetrySeconds.length;
    const parked = { ...retries[1], retryId: 'last', tries: last };
    await table.writeMany([...retries, Object.assign({}, retries[1], parked)].map((row) => put(outboxRetries, row)));
    refuseEvents(refusing('entryRefused'));
    clock.advance(EVENT_LIMITS.resendAfterMilliseconds + 1);
    const found = await interruptions({ ...of, handle: sends((on) => resendOutbox(on, UNBOUNDED)) });
    expect(found).toMatchObject({ differing: [] });
  });

  test('An interrupted sweep of due deliveries is completed by the next sweep, which may queue a job again', async () => {
    const { sends, ...of } = await sending();
    const due = [1, 2, 3].map((number) => ({
      organizationId: 'org-1',
      hookId: 'hook-1',
      deliveryId: `delivery-${number}`,
      attempt: number,
      dueAt: Date.now(),
    }));
    await of.services.table.writeMany(due.flatMap((row) => [put(dueDeliveries, row), put(dueNotifications, row)]));
    clock.advance(1);
    const found = await interruptions({
      ...of,
      handle: sends((on) => retryAllDeliveries(on, UNBOUNDED)),
      againAfter: MINUTE,
    });
    expect(found).toMatchObject({ differing: [] });
  });
});
