/**
 * §3 The rule for a test that several sources of a build report: results of one test in one group from different sources
 * never replace each other. A source is a process with a reporter, or an import. Two processes or imports are the same
 * source only if both name the same machine.
 *
 * All sources share the instance of a spec file, as the shards of a suite do. Only a test that another source has
 * already reported goes to a further instance of the spec file, which belongs to its source alone. So an instance and a
 * test name one execution, no outcomes have to be merged, and the order of the sources does not matter.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveFurtherInstanceId, deriveInstanceId, deriveMachineKey, deriveTestKey } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Claim, Instance } from '#shared/model/results/instance.ts';
import { isStub, type TestRecord } from '#shared/model/results/test-record.ts';
import { type TalliedTest, uploadTallies } from '#shared/model/results/upload-tally.ts';

export interface Source {
  readonly key: string;
  /** The machine that results of the source show. */
  readonly machineId: string;
  /** Whether every claim with this machine id is a claim of the source. Otherwise only claims with its key are. */
  readonly isMachine: boolean;
}

const KEY_CHARACTERS = 16;

/** A process that claims spec files with a key per request, such as the published reporter. */
export const makeMachineSource = (machineId: string): Source => ({
  key: deriveMachineKey(machineId),
  machineId,
  isMachine: true,
});

/** A process with one of our own reporters, or imports that name the same machine. */
export const makeNamedSource = (machineId: string): Source => ({ ...makeMachineSource(machineId), isMachine: false });

/** An import that names no machine. A host name in its report is only shown: all jobs of a build may have the same. */
export const makeImportSource = (key: string, machineId: string): Source => ({ key, machineId, isMachine: false });

/** For the second or a later result of a test in one request, counted from 1. Each comes from another file. */
export const makeRepeatedSource = (source: Source, repetition: number): Source => ({
  ...source,
  key: computeDigest(KEY_CHARACTERS, source.key, String(repetition)),
  isMachine: false,
});

const isSourceClaim = ({ key, isMachine }: Source, claim: Pick<Claim, 'key' | 'machineId'>): boolean =>
  claim.key === key || (isMachine && deriveMachineKey(claim.machineId) === key);

/** Whether no other source has claimed the instance, so that all its results are those of this source. */
export const isOnlySource = ({ claims }: Pick<Instance, 'claims'>, source: Source): boolean =>
  claims.every((claim) => isSourceClaim(source, claim));

/** Results of the first source of an instance name none, so that a build with one source needs no further bytes. */
export const getSourceMark = ({ claims: [first] }: Pick<Instance, 'claims'>, source: Source): string | undefined =>
  first === undefined || isSourceClaim(source, first) ? undefined : source.key;

/** `mark` is the result of `getSourceMark`. */
export const isUploadOfOther = (test: TalliedTest | undefined, mark: string | undefined): boolean =>
  test !== undefined && test.source !== mark;

/** Whether messages of another source reported this test. A record without a sequence number is only marked. */
export const isRecordOfOther = (
  record: Pick<TestRecord, 'machineId' | 'uploaded' | 'sequence'>,
  { key }: Pick<Source, 'key'>,
): boolean => !isStub(record) && record.uploaded !== true && deriveMachineKey(record.machineId) !== key;

/** Whether a reset took the instance from the machine of this record, so that another machine replaces its results. */
export const isTakenFromMachine = (
  { machineId }: Pick<TestRecord, 'machineId'>,
  { epoch, claims }: Instance,
): boolean => epoch > 0 && claims.every((claim) => claim.machineId !== machineId);

/** The instance for results of this source that other sources reported first. */
export const deriveFurtherInstance = (
  specFile: { readonly runId: string; readonly groupId: string; readonly spec: string },
  { key: source }: Source,
): { readonly instanceId: string; readonly source: string } => ({
  instanceId: deriveFurtherInstanceId({ ...specFile, source }),
  source,
});

interface UploadedTest {
  readonly groupId: string;
  readonly spec: string;
  readonly testId?: string | null | undefined;
  readonly repetition?: number;
}

/** For example to add files to them. Costs a read only for spec files that another source has claimed, too. */
export async function findInstancesOfTests(
  { table }: WithTable,
  run: RunKey,
  source: Source,
  tests: readonly UploadedTest[],
  instanceOf: (instanceId: string) => Pick<Instance, 'claims'> | undefined,
): Promise<(test: UploadedTest) => string> {
  const { organizationId, runId } = run;
  const deriveFurtherId = ({ groupId, spec }: UploadedTest) =>
    deriveFurtherInstance({ runId, groupId, spec }, source).instanceId;
  const isShared = (test: UploadedTest): boolean => {
    const instance = instanceOf(deriveInstanceId({ runId, ...test }));
    return instance !== undefined && !isOnlySource(instance, source);
  };
  const sharedTests = tests.filter((test) => !test.repetition && isShared(test));
  const furtherIds = [...new Set(sharedTests.map(deriveFurtherId))];
  const keys = furtherIds.map((instanceId) => ({ organizationId, instanceId }));
  const tallies = keys.length === 0 ? [] : await table.getMany(uploadTallies, keys, { consistent: true });
  const tallyOf = new Map(furtherIds.map((instanceId, index) => [instanceId, tallies[index]]));
  return (test) => {
    const { repetition = 0, testId } = test;
    if (repetition > 0)
      return deriveFurtherInstance({ runId, ...test }, makeRepeatedSource(source, repetition)).instanceId;
    const instanceId = deriveFurtherId(test);
    const isFurther = testId != null && tallyOf.get(instanceId)?.results[deriveTestKey(testId)] !== undefined;
    return isFurther ? instanceId : deriveInstanceId({ runId, ...test });
  };
}
