/**
 * Deletes a run between the table calls of a request. Each condition of a write then fails because its row is gone, and
 * not because it has changed, so the request must not try again until it gives up.
 */
import { describe, expect, test } from 'vitest';
import type { TableKey } from '#shared/engine/table/keys.ts';
import { getRowKey, removeKey } from '#shared/engine/table/writes.ts';
import { makeHidingWrites } from '#shared/lifecycle/delete-run.ts';
import { instances } from '#shared/model/results/instance.ts';
import { listInstanceSpans, listRunSpans } from '#shared/model/runs/rows-of-run.ts';
import { deletions, getRunMembersSpan, runs } from '#shared/model/runs/run.ts';
import { sampled } from '#test/harness/cases.ts';
import type { Answer } from '#test/harness/client.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendFiles,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { askAgain, askForTask, sessionBody, startSession, takeTask } from '#test/harness/orchestration.ts';
import { claim, createRecord, firstMessage, startRun } from '#test/harness/recording.ts';
import { batchInstance, sendUpload, upload, uploadBody } from '#test/harness/recording-batch.ts';
import { failed, passed, runBody, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { beforeTableCalls, clock, service, watchTable } from '#test/harness/service.ts';

watchTable();

type Stage = Awaited<ReturnType<typeof service>>;

const SUM = 'cart.spec.ts > sums';
const NET = 'cart.spec.ts > nets';
const TAX = 'tax.spec.ts > rounds';
const SUITE = [suiteGroup('retail', [SUM, TAX])];
const MORE = [suiteGroup('retail', [SUM, NET, TAX])];

/** A request, and the run that it changes. */
interface Prepared {
  readonly runId: string;
  readonly send: () => Promise<Answer>;
}

const started = (stage: Stage, ciBuildId: string) => startRun(stage, SUITE, { ciBuildId });

async function claimed(stage: Stage, ciBuildId: string) {
  const run = await started(stage, ciBuildId);
  return { ...run, ...(await claim(stage, run, 'cart.spec.ts')) };
}

const join = (stage: Stage, ciBuildId: string, suite: typeof SUITE, more: object) =>
  stage.api.post('@/runs/v1', runBody(stage.projectId, suite, { ciBuildId, machineId: 'second', ...more }));

const session = (stage: Stage, ciBuildId: string, machineId: string) =>
  startSession(stage, SUITE, { ciBuildId, machineId });

const live = async (stage: Stage, ciBuildId: string) => {
  const body = startBody([liveGroup('retail', [SUM, TAX])], { ciBuildId });
  return (await dataOf(sendStart(stage, body))).runId;
};

const OPERATIONS: Readonly<Record<string, (stage: Stage, ciBuildId: string) => Promise<Prepared>>> = {
  'a start that adds tags': async (stage, ciBuildId) => {
    const { runId } = await started(stage, ciBuildId);
    return { runId, send: () => join(stage, ciBuildId, SUITE, { tags: ['nightly'] }) };
  },
  'a start that adds tests to a spec file': async (stage, ciBuildId) => {
    const { runId } = await started(stage, ciBuildId);
    return { runId, send: () => join(stage, ciBuildId, MORE, {}) };
  },
  'a start that adds a group': async (stage, ciBuildId) => {
    const { runId } = await started(stage, ciBuildId);
    return { runId, send: () => join(stage, ciBuildId, [suiteGroup('wholesale', [SUM])], { group: 'wholesale' }) };
  },
  'a claim': async (stage, ciBuildId) => {
    const { runId } = await started(stage, ciBuildId);
    const body = { runId, groupId: 'retail', spec: 'tax.spec.ts', machineId: 'second' };
    return { runId, send: () => stage.api.post(`@/runs/${runId}/pw/instances/v1`, body) };
  },
  'the result of a failed test': async (stage, ciBuildId) => {
    const run = await claimed(stage, ciBuildId);
    return { runId: run.runId, send: () => stage.api.post('@/test-record', firstMessage(run, SUM, failed())) };
  },
  'the last result of a run': async (stage, ciBuildId) => {
    const run = await claimed(stage, ciBuildId);
    const tax = { ...run, ...(await claim(stage, run, 'tax.spec.ts')) };
    await createRecord(stage, tax, TAX, failed());
    return { runId: run.runId, send: () => stage.api.post('@/test-record', firstMessage(run, SUM, passed())) };
  },
  'an upload': async (stage, ciBuildId) => {
    const { runId } = await upload(stage, SUITE, [], { ciBuildId, group: 'retail' });
    const sent = [batchInstance('retail', 'cart.spec.ts', { [SUM]: failed() })];
    return { runId, send: () => sendUpload(stage, uploadBody(stage, [], sent, { ciBuildId, group: 'retail' })) };
  },
  'a second upload of a spec file': async (stage, ciBuildId) => {
    const sent = (state: ReturnType<typeof passed>) => [batchInstance('retail', 'cart.spec.ts', { [SUM]: state })];
    const more = { ciBuildId, group: 'retail' };
    const { runId } = await upload(stage, SUITE, sent(failed()), more);
    return { runId, send: () => sendUpload(stage, uploadBody(stage, [], sent(passed()), { ...more, machineId: 'b' })) };
  },
  'the start of another machine': async (stage, ciBuildId) => {
    const runId = await live(stage, ciBuildId);
    const groups = [liveGroup('retail', [SUM, NET, TAX])];
    return {
      runId,
      send: () => sendStart(stage, startBody(groups, { ciBuildId, machineId: 'm2', tags: ['nightly'] })),
    };
  },
  'a batch': async (stage, ciBuildId) => {
    const runId = await live(stage, ciBuildId);
    const body = { machineId: 'm1', sequence: 0, instances: liveInstances('retail', { [SUM]: failed() }) };
    return { runId, send: () => sendBatch(stage, runId, body) };
  },
  'an announcement of files': async (stage, ciBuildId) => {
    const runId = await live(stage, ciBuildId);
    const instance = liveInstances('retail', { [SUM]: failed() });
    await dataOf(sendBatch(stage, runId, { machineId: 'm1', sequence: 0, instances: instance }));
    const file = { groupId: 'retail', spec: 'cart.spec.ts', type: 'stdout', name: 'stdout', contentType: 'text/plain' };
    const files = [{ ...file, sha256: 'a'.repeat(64), bytes: 3 }];
    return { runId, send: () => sendFiles(stage, runId, { machineId: 'm1', files }) };
  },
  'the end of a machine': async (stage, ciBuildId) => {
    const runId = await live(stage, ciBuildId);
    const instances = liveInstances('retail', { [SUM]: failed(), [TAX]: passed() });
    await dataOf(sendBatch(stage, runId, { machineId: 'm1', sequence: 0, instances }));
    return { runId, send: () => sendEnd(stage, runId, { machineId: 'm1', batches: 1 }) };
  },
  'the start of a session by another machine': async (stage, ciBuildId) => {
    const { runId } = await session(stage, ciBuildId, 'first');
    const body = sessionBody(stage.projectId, MORE, { ciBuildId, machineId: 'second' });
    return { runId, send: () => stage.api.post('@/orchestration-v1', body) };
  },
  'a request for spec files': async (stage, ciBuildId) => {
    const first = await session(stage, ciBuildId, 'first');
    return { runId: first.runId, send: () => askForTask(stage, first) };
  },
  'a request for the spec files of a dead machine': async (stage, ciBuildId) => {
    const dead = await session(stage, ciBuildId, 'dead');
    const living = await session(stage, ciBuildId, 'living');
    await takeTask(stage, dead);
    await takeTask(stage, living);
    clock.advance(10 * 60_000);
    return { runId: dead.runId, send: () => askAgain(stage, living, 1) };
  },
  'a request for freed spec files': async (stage, ciBuildId) => {
    const first = await session(stage, ciBuildId, 'first');
    const other = await session(stage, ciBuildId, 'other');
    await takeTask(stage, first);
    // A machine that starts again gives its spec files back.
    await session(stage, ciBuildId, 'first');
    return { runId: first.runId, send: () => askForTask(stage, other) };
  },
  'a reset': async (stage, ciBuildId) => {
    const run = await claimed(stage, ciBuildId);
    await createRecord(stage, run, SUM, running());
    const body = { machineId: [run.machineId], isBatchedOr8n: true };
    return { runId: run.runId, send: () => stage.api.put(`/runs/${run.runId}/reset`, body) };
  },
  'a cancellation': async (stage, ciBuildId) => {
    const { runId } = await claimed(stage, ciBuildId);
    return { runId, send: () => stage.api.put(`/runs/${runId}/cancel`, {}) };
  },
};

/** Deletes the run and its rows, apart from those that stay. The mark of the deletion always stays. */
async function erase({ services, organizationId }: Stage, runId: string, stays: (row: TableKey) => boolean) {
  const { table } = services;
  const key = { organizationId, runId };
  const [run, all] = await Promise.all([
    table.get(runs, key, { consistent: true }),
    table.queryAll(instances, getRunMembersSpan(key, 'INSTANCE'), { consistent: true }),
  ]);
  if (run) await table.transact(makeHidingWrites(run, Date.now()));
  const mark = deletions.key(key);
  for (const span of [...listRunSpans(key), ...all.flatMap(listInstanceSpans)]) {
    const rows = await table.queryAll({ load: getRowKey }, span, { consistent: true, ended: true });
    const gone = rows.filter((row) => (row.pk !== mark.pk || row.sk !== mark.sk) && !stays(row));
    await table.writeMany(gone.map(removeKey));
  }
}

/** What a request may find: a run that was just deleted, and a run whose rows were all or partly removed since. */
const DELETIONS = {
  'just deleted': async ({ api }: Stage, runId: string) => void (await api.send('DELETE', `/runs/${runId}`)),
  'deleted with all its rows': (stage: Stage, runId: string) => erase(stage, runId, () => false),
  'deleted with all its rows but those of machines and batches': (stage: Stage, runId: string) =>
    erase(stage, runId, ({ sk }) => /^(MACHINE|TASK)#/.test(sk)),
} as const;

const KINDS = sampled(Object.entries(DELETIONS), 2);
/** `npm test` deletes the run before each update of a row and each transaction, and the deep run before each call. */
const CALLS = sampled([/^(UpdateItem|TransactWriteItems)$/, /^(?!UpdateItem$|TransactWriteItems$)/], 2);

describe('A run that is deleted during a request', () => {
  test.each(Object.entries(OPERATIONS))(
    'At whatever moment its run is deleted, %s succeeds or is refused, and does not fail',
    async (name, prepare) => {
      const stage = await service();
      for (const [kind, act] of KINDS) {
        for (let at = 0, happened = true; happened; at += 1) {
          const about = `${name}, ${kind} before call ${at}`;
          const { runId, send } = await prepare(stage, about);
          let calls = 0;
          const { status, body } = await beforeTableCalls(async ({ operation }) => {
            if (!CALLS.some((pattern) => pattern.test(operation))) return;
            if (calls === at) await act(stage, runId);
            calls += 1;
          }, send);
          happened = calls > at;
          expect.soft(status, `${about}: ${JSON.stringify(body)}`).toBeLessThan(500);
        }
      }
    },
  );
});
