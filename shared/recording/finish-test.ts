/** A test is final: it is counted in its instance and written into its history. Each step may be repeated without counting twice. */

import { noteFailedTest } from '../lifecycle/fail-run.ts';
import { LIMITS } from '../limits.ts';
import { isFailure, isNotable, leavesEvidence } from '../outcomes.ts';
import { displayedError, totalDuration } from '../resources/attempt.ts';
import { type HistoryRow, history, unlessNewer } from '../resources/history-row.ts';
import { recordIdOf, runOfInstance, signatureOf } from '../resources/ids.ts';
import {
  encodeResult,
  HAS_ROOM_FOR_TAGS,
  hasRoomForTags,
  type Instance,
  instances,
  isComplete,
  resultBound,
  tagName,
} from '../resources/instance.ts';
import type { TestRecord } from '../resources/test-record.ts';
import { countedOf, expectedStatusOf } from '../results/outcome.ts';
import type { Services } from '../services.ts';
import type { Condition } from '../table/update.ts';
import { remove } from '../table/writes.ts';
import { mergeTags } from '../tags.ts';
import { completeInstance } from './complete-instance.ts';
import { evidenceIn } from './evidence-wire.ts';
import { dropEvidence, keepEvidence, noteFailures } from './keep-evidence.ts';

/** `sent`: the message that ended it, as it came. */
export async function finishTest(services: Services, record: TestRecord, sent: unknown): Promise<void> {
  const counted = countedOf(record);
  const instance = await countResult(services, record, encodeResult(counted, record.sequence));
  // A newer message about this test is ahead of this one and does the rest.
  if (!instance) return;
  await writeHistory(services, record);
  await writeEvidence(services, record, sent);
  if (isFailure(counted.outcome) || counted.flaky || record.finals > 1) await noteFailures(services, instance);
  if (isFailure(counted.outcome)) await noteFailedTest(services, instance);
  if (isComplete(instance)) await completeInstance(services, instance);
}

async function countResult(
  { table, now }: Services,
  record: TestRecord,
  result: string,
): Promise<Instance | undefined> {
  const { organizationId, instanceId, testKey, sequence } = record;
  const path = ['results', testKey] as const;
  const isNews: Condition = { any: [{ absent: path }, { path, atMost: resultBound(sequence) }] };
  const count = (tags: readonly string[]) =>
    table.update(
      instances,
      { organizationId, instanceId, runId: runOfInstance(instanceId) ?? '' },
      {
        set: [[path, result] as const, ['heardAt', now()] as const],
        setIfAbsent: tags.map((tag) => [['testTags', tagName(tag)], true] as const),
        add: [['version', 1]],
      },
      tags.length > 0 ? { all: [isNews, HAS_ROOM_FOR_TAGS] } : isNews,
    );
  const counted = await count(record.testTags.slice(0, LIMITS.countedTags));
  const outcome = counted.done || hasRoomForTags(counted.existing) ? counted : await count([]);
  return outcome.done ? outcome.item : undefined;
}

/** The row of the whole history, and a second one where somebody will look for failures. */
async function writeHistory({ table }: Services, record: TestRecord): Promise<void> {
  const row = historyRowOf(record);
  const copy = { ...row, list: 'notable' } as const;
  const { done } = await table.put(history, row, unlessNewer(row));
  if (!done) return;
  if (isNotable(row)) await table.put(history, copy, unlessNewer(copy));
  // An earlier final message may have been a failure, with a copy that is no longer true.
  else if (record.finals > 1) await table.writeMany([remove(history, copy)]);
}

async function writeEvidence(services: Services, record: TestRecord, sent: unknown): Promise<void> {
  const { organizationId, instanceId, testKey, sequence } = record;
  const key = { organizationId, instanceId, testKey };
  if (leavesEvidence(countedOf(record))) await keepEvidence(services, key, evidenceIn(sent), sequence);
  else if (record.finals > 1) await dropEvidence(services, key);
}

function historyRowOf(record: TestRecord): HistoryRow {
  const { outcome, flaky } = countedOf(record);
  return {
    ...record,
    tags: mergeTags(record.tags, record.testTags),
    signature: signatureOf(record),
    list: 'all',
    recordedAt: record.finalAt ?? 0,
    recordId: recordIdOf(record),
    outcome,
    flaky,
    expectedStatus: expectedStatusOf(record),
    duration: totalDuration(record.attempts),
    attempts: record.attempts.map(({ state, startedAt, duration }) => [state, startedAt, duration] as const),
    hasErrors: displayedError(record.attempts) !== undefined,
  };
}
