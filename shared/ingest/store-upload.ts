/**
 * Stores the results of finished spec files of a batch upload: their history, errors and evidence, and the tallies from
 * which their counters are derived. Idempotent: a repeated upload rewrites the same rows.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { Again, retryOptimisticallyFrom, updateOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { deriveInstanceId, deriveRecordId, deriveTestKey } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { countRetries, findDisplayedError } from '#shared/model/results/attempt.ts';
import { evidenceParts } from '#shared/model/results/evidence.ts';
import { failures, findFailureMark, getInstanceFailuresSpan, MARKS } from '#shared/model/results/failures.ts';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import {
  appendClaim,
  type Claim,
  countKnownTests,
  type Instance,
  type InstanceKey,
  instances,
  makeInstance,
  pickCountedTags,
} from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { type CountedTest, shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import { isRuleRow, type KeptRow, type TestRecord, testRecords } from '#shared/model/results/test-record.ts';
import { type TalliedTest, type UploadTally, uploadTallies } from '#shared/model/results/upload-tally.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { isFlaky } from '#shared/results/executions/flaky.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { findFirstStart } from './attempt-times.ts';
import { tooManyTests } from './errors.ts';
import { buildExecution, type Parents, type Targets } from './execution-of.ts';
import { extendTerms } from './extend-terms.ts';
import { type InstanceResults, loadResults, pickDistinctTags } from './instance-results.ts';
import { buildTestRecord } from './record-of.ts';
import { planRecordHistoryRemoval } from './remove-instance.ts';
import type { ReportedInstance, ReportedTest } from './reported.ts';
import { buildResultRows, planOutdatedRowRemoval } from './result-rows.ts';
import {
  deriveFurtherInstance,
  getSourceMark,
  isOnlySource,
  isRecordOfOther,
  isUploadOfOther,
  makeRepeatedSource,
  type Source,
} from './sources.ts';

/** Earlier uploads or messages may have listed failures of these tests that do not match the new results. */
async function planOutdatedFailureRemoval(
  { table }: WithTable,
  instance: InstanceKey,
  tests: readonly ReportedTest[],
): Promise<Delete[]> {
  const marks = new Map(
    tests.map((test) => [deriveTestKey(test.testId), findFailureMark(toCountedTest(test))] as const),
  );
  const failuresByMark = await Promise.all(
    MARKS.map((mark) => table.queryAll(failures, getInstanceFailuresSpan(instance, mark), { consistent: true })),
  );
  const outdatedFailures = failuresByMark
    .flat()
    .filter(({ testKey, mark }) => marks.has(testKey) && marks.get(testKey) !== mark);
  return outdatedFailures.map((failure) => remove(failures, failure));
}

export interface Upload {
  readonly targets: Targets & { readonly run: Run };
  readonly instances: readonly ReportedInstance[];
  readonly source: Source;
  /** The key of the claims that the upload adds to its spec files. */
  readonly claimKey: string;
}

export interface StoredInstance {
  readonly key: InstanceKey;
  readonly parents: Parents;
  readonly tests: readonly RecordedTest[];
  /** The results of the spec file, unless the rows of this upload have changed them since they were read. */
  readonly results: InstanceResults | undefined;
}

interface InstanceWrites {
  readonly stored: StoredInstance;
  readonly executions: readonly HistoryRow[];
  readonly writes: readonly (Put | Delete)[];
}

/** Does not count the results yet. The rows of all spec files are written together. */
export async function storeUpload(services: Services, upload: Upload): Promise<StoredInstance[]> {
  const plannedInstances = (await mapConcurrently(upload.instances, (file) => planFile(services, upload, file))).flat();
  await extendTerms(
    services,
    plannedInstances.flatMap(({ executions }) => executions),
  );
  await services.table.writeMany(plannedInstances.flatMap(({ writes }) => writes));
  return plannedInstances.map(({ stored }) => stored);
}

/** Plans the rows of a spec file. Tests that other sources reported first go to a further instance of the file. */
async function planFile(services: CoreServices, upload: Upload, file: ReportedInstance): Promise<InstanceWrites[]> {
  const { repetition = 0 } = file;
  const source = repetition === 0 ? upload.source : makeRepeatedSource(upload.source, repetition);
  const claimKey = repetition === 0 ? upload.claimKey : source.key;
  const sharedUpload = { ...upload, source, claimKey, further: undefined };
  const furtherUpload = {
    ...sharedUpload,
    further: deriveFurtherInstance({ runId: upload.targets.run.runId, ...file }, source),
  };
  // An earlier file of the same request reported these tests.
  if (repetition > 0) return (await planInstance(services, furtherUpload, file)).planned;
  const { planned, others } = await planInstance(services, sharedUpload, file);
  if (others.length === 0) return planned;
  return [...planned, ...(await planInstance(services, furtherUpload, { ...file, tests: others })).planned];
}

interface InstanceUpload extends Upload {
  /** The further instance that belongs to the source alone. `undefined` for the instance that all sources share. */
  readonly further: ReturnType<typeof deriveFurtherInstance> | undefined;
}

/**
 * Claims an instance and adds the results to its tally. Returns the rows that are left to write, and the tests that
 * other sources reported first. The claim comes first, because the first claim decides whose results name no source.
 */
async function planInstance(
  services: CoreServices,
  { targets, source, claimKey, further }: InstanceUpload,
  { groupId, spec, worker, tests: sentTests }: ReportedInstance,
): Promise<{ readonly planned: InstanceWrites[]; readonly others: readonly ReportedTest[] }> {
  const { run } = targets;
  const { organizationId, runId, expiry } = run;
  const instanceId = further?.instanceId ?? deriveInstanceId({ runId, groupId, spec });
  const key = { organizationId, runId, instanceId, groupId, spec, source: further?.source, expiry };
  const existingInstance = further ? undefined : targets.instanceOf(instanceId);
  const instanceBeforeClaim = existingInstance ?? makeInstance({ ...key, createdAt: services.now() });
  const testsByKey = new Map(sentTests.map((test) => [deriveTestKey(test.testId), test]));
  const earlierTally = await readEarlierTally(services, instanceBeforeClaim);
  await refuseTooMany(services, instanceBeforeClaim, { ...earlierTally?.results, ...mapCountedTests(sentTests) });
  const keysOfOthers = await findTestKeysOfOthers(
    services,
    { instance: instanceBeforeClaim, source, tally: earlierTally },
    [...testsByKey.keys()],
  );
  const hasOwn = [...testsByKey.keys()].some((testKey) => !keysOfOthers.has(testKey));
  if (!hasOwn && sentTests.length > 0) return { planned: [], others: sentTests };
  const at = findFirstStart(sentTests, services.now()) ?? run.createdAt;
  const claiming = { claim: { key: claimKey, machineId: source.machineId, at }, worker };
  const instance = await claimForUpload(services, key, claiming, existingInstance);
  const before = await addToTally(services, instance, {
    source,
    reported: testsByKey,
    earlier: earlierTally,
    keysOfOthers,
  });
  const isOwn = ({ testId }: ReportedTest) => before.own.has(deriveTestKey(testId));
  const tests = sentTests.filter(isOwn).map((test) => ({ ...test, machineId: source.machineId }));
  const parents = { run, group: targets.groupOf(groupId), instance };
  const reportedBefore = tests.filter(({ testId }) => before.reported.has(deriveTestKey(testId)));
  const plannedTests = tests.map((test) => planTest(parents, before, test));
  const executions = plannedTests.map(({ execution }) => execution);
  const writes = [
    // A test may have only one history row per instance, and the upload does not overwrite the rows of streamed tests,
    // because their keys contain a different time.
    ...planRecordHistoryRemoval(
      organizationId,
      before.records.filter(({ finalAt }) => finalAt !== instance.recordedAt),
    ),
    ...(reportedBefore.length === 0 ? [] : await planOutdatedFailureRemoval(services, key, reportedBefore)),
    ...plannedTests.flatMap((planned) => planned.writes),
  ];
  const storedInstance = {
    key,
    parents,
    tests: tests.map((test) => toRecordedTest(parents, test)),
    results: before.records.length === 0 ? before.results : undefined,
  };
  return {
    planned: [{ stored: storedInstance, executions, writes }],
    others: sentTests.filter((test) => !isOwn(test)),
  };
}

const toCountedTest = (test: ReportedTest): CountedTest => ({
  outcome: test.outcome,
  flaky: isFlaky({ ...test, reportedFlaky: test.flaky }),
  retries: countRetries(test.attempts),
});

const listEarlierRowKinds = ({ records }: InstanceBefore, { testKey }: Pick<TestRecord, 'testKey'>): KeptRow[] => {
  const { kept = [] } = records.find((record) => record.testKey === testKey) ?? {};
  return ['copy', 'evidence', ...kept.filter((kind) => kind === 'quarantined' || isRuleRow(kind))];
};

/** A test record is stored only if the test has errors or evidence, or if rules affected it. */
function planTest(
  parents: Parents,
  before: InstanceBefore,
  test: ReportedTest,
): { readonly execution: HistoryRow; readonly writes: (Put | Delete)[] } {
  const countedTest = { ...toCountedTest(test), expectedStatus: test.expectedStatus };
  const { recordedAt = 0 } = parents.instance;
  const record = buildTestRecord(parents, test, {
    sequence: 0,
    done: true,
    finalAt: recordedAt,
    finals: 1,
    uploaded: true,
  });
  const rows = buildResultRows({ record, counted: countedTest, evidence: test.evidence });
  // Earlier uploads or messages may have left rows that this upload makes outdated. Those in the list of failures are
  // left to `planOutdatedFailureRemoval`.
  const wasFinal = before.reported.has(record.testKey);
  const outdatedKinds = wasFinal ? listEarlierRowKinds(before, record).filter((kind) => !rows.kept.includes(kind)) : [];
  // The record lists the rows of matched rules, so that a later upload can find them.
  const isMarked = rows.kept.some(isRuleRow);
  const keepsRecord = isMarked || findDisplayedError(test.attempts) !== undefined || shouldStoreEvidence(countedTest);
  const hasRow = wasFinal || before.stubs.includes(record.testKey);
  const writes = [
    ...rows.puts,
    ...rows.moreEvidence.map((part) => put(evidenceParts, part)),
    ...(keepsRecord ? [put(testRecords, { ...record, kept: rows.kept })] : hasRow ? [remove(testRecords, record)] : []),
    ...planOutdatedRowRemoval(record, rows.history, outdatedKinds),
  ];
  return { execution: rows.history, writes };
}

function toRecordedTest(parents: Parents, test: ReportedTest): RecordedTest {
  const { testId, title, outcome, expectedStatus, annotations, attempts } = test;
  const { tags } = buildExecution(parents, test);
  return {
    testId,
    recordId: deriveRecordId({ instanceId: parents.instance.instanceId, testId }),
    title,
    outcome,
    flaky: toCountedTest(test).flaky,
    expectedStatus,
    tags: mergeTags(tags, test.tags),
    annotations,
    attempts,
    done: true,
  };
}

const mapCountedTests = (tests: readonly ReportedTest[]): Record<string, CountedTest> =>
  Object.fromEntries(tests.map((test) => [deriveTestKey(test.testId), toCountedTest(test)]));

/** If nobody has recorded results of a spec file yet, it most likely has no tally. */
async function readEarlierTally({ table }: WithTable, instance: Instance): Promise<UploadTally | undefined> {
  const isUntouched = instance.claims.length === 0 && instance.version === 0;
  return isUntouched ? undefined : await table.get(uploadTallies, instance, { consistent: true });
}

interface SourceOfInstance {
  readonly instance: Instance;
  readonly source: Source;
  readonly tally: UploadTally | undefined;
}

/** After a reset, a test that the source had to record in its further instance stays there. */
async function findTestKeysOfOthers(
  { table }: WithTable,
  { instance, source, tally }: SourceOfInstance,
  testKeys: readonly string[],
): Promise<Set<string>> {
  if (instance.source !== undefined || isOnlySource(instance, source)) return new Set();
  const mark = getSourceMark(instance, source);
  const further = { ...instance, ...deriveFurtherInstance(instance, source) };
  const furtherTally = instance.epoch > 0 ? await table.get(uploadTallies, further, { consistent: true }) : undefined;
  return new Set(
    testKeys.filter(
      (testKey) => isUploadOfOther(tally?.results[testKey], mark) || furtherTally?.results[testKey] !== undefined,
    ),
  );
}

interface UploadedResults {
  readonly source: Source;
  /** The uploaded tests by their test keys. */
  readonly reported: ReadonlyMap<string, ReportedTest>;
  /** Results of earlier uploads, as they were read. */
  readonly earlier: UploadTally | undefined;
  readonly keysOfOthers: ReadonlySet<string>;
}

/** What the instance already had when the upload was added. `records` holds only records that the upload replaces. */
interface InstanceBefore {
  /** The test keys of the added tests. Other sources reported the others first. */
  readonly own: ReadonlySet<string>;
  /** The test keys of the tests that had a result. Only they may have rows that the upload makes outdated. */
  readonly reported: ReadonlySet<string>;
  /** Tests whose row has only the `watched` mark, because no reporter has sent a message about them yet. */
  readonly stubs: readonly string[];
  readonly records: readonly TestRecord[];
  /** All results of the instance, including those of the upload. */
  readonly results: InstanceResults;
}

interface TallyState {
  /** The tally without this upload, as it was last read. */
  readonly earlier: UploadTally | undefined;
  /** The tally as it is stored. After a write, it contains the results of this upload. */
  readonly stored: UploadTally | undefined;
  /** The number of final messages that the stored version allows for. */
  readonly replacedFinals: number;
  readonly keysOfOthers: ReadonlySet<string>;
}

/**
 * Adds the results to the tally, and then reads all results of the instance. Because the tally is written first, this
 * read also serves to count the results: of two concurrent writers, the one that reads last sees the results of both.
 * Results that another source uploaded or streamed in the meantime are not replaced.
 */
async function addToTally(
  services: CoreServices,
  instance: Instance,
  upload: UploadedResults,
): Promise<InstanceBefore> {
  const { table } = services;
  const { organizationId, instanceId, expiry } = instance;
  const { source, reported: testsByKey } = upload;
  const mark = getSourceMark(instance, source);
  const countedTests = Object.entries(mapCountedTests([...testsByKey.values()]));
  const results = new Map(
    countedTests.map(([testKey, test]): [string, TalliedTest] => [testKey, { ...test, source: mark }]),
  );
  const testTags = [...testsByKey].map(([testKey, { tags }]) => [testKey, pickCountedTags(tags)] as const);
  const { earlier, keysOfOthers } = upload;
  const start: TallyState = { earlier, stored: earlier, replacedFinals: 0, keysOfOthers };
  return retryOptimisticallyFrom('uploaded results of an instance', start, async (state) => {
    const isOwn = (testKey: string): boolean =>
      !state.keysOfOthers.has(testKey) && !isUploadOfOther(state.earlier?.results[testKey], mark);
    const ownKeys = new Set([...results.keys()].filter(isOwn));
    const row = {
      organizationId,
      instanceId,
      // A record that the upload replaces no longer counts its final messages. The version must not fall because of it.
      version: (state.stored?.version ?? 0) + 1 + state.replacedFinals,
      results: {
        ...state.earlier?.results,
        ...Object.fromEntries([...results].filter(([testKey]) => ownKeys.has(testKey))),
      },
      testTags: pickDistinctTags([
        ...(state.earlier?.testTags ?? []),
        ...testTags.flatMap(([testKey, tags]) => (ownKeys.has(testKey) ? tags : [])),
      ]),
      expiresAt: expiry.results,
    };
    const when = state.stored ? ({ path: 'version', equals: state.stored.version } as const) : ABSENT;
    const outcome = await table.put(uploadTallies, row, when);
    if (!outcome.done) return new Again({ ...state, earlier: outcome.item, stored: outcome.item });
    const all = await loadResults(services, instance, { consistent: true });
    const records = all.records.filter(({ testKey }) => ownKeys.has(testKey));
    const ofOthers = records.filter((record) => isRecordOfOther(record, source));
    if (ofOthers.length > 0) {
      const streamedTestKeys = ofOthers.map(({ testKey }) => testKey);
      return new Again({ ...state, stored: row, keysOfOthers: new Set([...state.keysOfOthers, ...streamedTestKeys]) });
    }
    const finals = records.reduce((sum, record) => sum + record.finals, 0);
    const reportedKeys = [...Object.keys(state.earlier?.results ?? {}), ...all.records.map(({ testKey }) => testKey)];
    return finals <= state.replacedFinals
      ? { own: ownKeys, reported: new Set(reportedKeys), stubs: all.stubs, records, results: all }
      : new Again({ ...state, stored: row, replacedFinals: finals });
  });
}

/** Throws 400 if the instance would have too many tests. Reads its tests only if there is doubt. */
async function refuseTooMany(
  services: CoreServices,
  instance: Instance,
  results: Readonly<Record<string, CountedTest>>,
): Promise<void> {
  const uploadedKeys = Object.keys(results);
  if (uploadedKeys.length + countKnownTests(instance) <= MODEL_LIMITS.testsPerSpec) return;
  const { expected, reported } = await loadResults(services, instance, { consistent: true });
  if (new Set([...expected, ...reported.keys(), ...uploadedKeys]).size > MODEL_LIMITS.testsPerSpec)
    throw tooManyTests(MODEL_LIMITS.testsPerSpec);
}

/** The first upload also sets `recordedAt`, the time of its results in the history. */
async function claimForUpload(
  { table, now }: CoreServices,
  key: Omit<Parameters<typeof makeInstance>[0], 'createdAt'>,
  { claim, worker }: { readonly claim: Claim } & Pick<ReportedInstance, 'worker'>,
  before: Instance | undefined,
): Promise<Instance> {
  let existingInstance = before;
  const at = now();
  if (!existingInstance) {
    const row = {
      ...makeInstance({ ...key, createdAt: at }),
      claims: appendClaim([], claim),
      recordedAt: at,
      heardAt: at,
      worker: worker ?? undefined,
    };
    const outcome = await table.put(instances, row, ABSENT);
    if (outcome.done) return row;
    existingInstance = outcome.item;
  }
  const row = { table, entity: instances, what: 'claims of an instance' };
  const claimedInstance =
    existingInstance &&
    (await updateOptimistically(row, existingInstance, ({ claims }) => {
      const set = [['claims', appendClaim(claims, claim)] as const, ['heardAt', now()] as const];
      const setIfAbsent = [['recordedAt', now()] as const, ...(worker ? [['worker', worker] as const] : [])];
      return { changes: { set, setIfAbsent }, when: { path: 'claims', equals: claims } };
    }));
  return claimedInstance ?? refuse(notFound('Run'));
}
