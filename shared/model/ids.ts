/**
 * Ids. The ids of runs, instances and test records are deterministic, so that a repeated request finds the rows that it
 * wrote before. The id of an instance begins with the id of its run, and the id of a test record begins with the id of
 * its instance. The run and the instance are therefore known without reading a row.
 */
import { createHash } from 'node:crypto';
import { digest } from '#shared/engine/table/keys.ts';

const RUN_CHARACTERS = 16;
/** The position in an instance id at which the id of the run ends. */
export const INSTANCE_START = RUN_CHARACTERS;
const INSTANCE_CHARACTERS = 16;
export const TEST_CHARACTERS = 12;
const MACHINE_CHARACTERS = 16;
const SIGNATURE_CHARACTERS = 32;

/** All machines of one CI build share a run. */
export const runIdOf = (of: { organizationId: string; projectId: string; ciBuildId: string }): string =>
  digest(RUN_CHARACTERS, of.organizationId, of.projectId, of.ciBuildId);

export const instanceIdOf = (of: { runId: string; groupId: string; spec: string }): string =>
  of.runId + digest(INSTANCE_CHARACTERS, of.groupId, of.spec);

/**
 * The id of the further instance of a spec file that holds the results of one source, if other sources reported these
 * tests first. `source` is the key of the source.
 */
export const furtherInstanceIdOf = (of: { runId: string; groupId: string; spec: string; source: string }): string =>
  of.runId + digest(INSTANCE_CHARACTERS, of.groupId, of.spec, of.source);

/** A short digest that identifies a test within its instance. */
export const testKeyOf = (testId: string): string => digest(TEST_CHARACTERS, testId);

/**
 * Makes an id for a test whose framework reports no test id. The id is the same on each machine and in each run. `copy`
 * distinguishes tests with the same names.
 */
export const madeTestId = (spec: string, title: readonly string[], copy = 0): string =>
  createHash('sha256')
    .update(JSON.stringify(copy > 0 ? [spec, title, copy] : [spec, title]))
    .digest('hex')
    .slice(0, MADE_CHARACTERS);

const MADE_CHARACTERS = 16;

/** Whether `madeTestId` may have generated this id. The ids of Playwright are longer. */
export const isMadeTestId = (testId: string): boolean =>
  testId.length === MADE_CHARACTERS && /^[0-9a-f]+$/.test(testId);

export const recordIdOf = (of: { instanceId: string; testId: string }): string => of.instanceId + testKeyOf(of.testId);

const MACHINE_KEY_CHARACTERS = 16;

/** The key of the claims and joins of a machine that names itself. */
export const machineKeyOf = (machineId: string): string => digest(MACHINE_KEY_CHARACTERS, `machine ${machineId}`);

/** Generates a machine id for a process that reports no machine id. */
export const machineIdOf = (request: string): string => digest(MACHINE_CHARACTERS, 'machine', request);

/** §4.1 Identifies a test of a project across groups, branches and runs. */
export const signatureOf = (of: {
  organizationId: string;
  projectId: string;
  spec: string;
  title: readonly string[];
}): string => digest(SIGNATURE_CHARACTERS, of.organizationId, of.projectId, of.spec, ...of.title);

/**
 * Identifies a spec file of a project. The result never equals the signature of a test, because a test also has a
 * title.
 */
export const specSignatureOf = (of: { organizationId: string; projectId: string; spec: string }): string =>
  digest(SIGNATURE_CHARACTERS, of.organizationId, of.projectId, of.spec);

const TIME_CHARACTERS = 11;
export const DATED_RANDOM_CHARACTERS = 7;

/**
 * The id of a rule or a share: 24 hex characters, which is the format that clients expect for rule ids. It begins with
 * the id of the project, and the ids of one project sort by creation time, to the millisecond.
 */
export const datedIdOf = (of: { projectId: string; createdAt: number; random: string }): string =>
  of.projectId + of.createdAt.toString(16).padStart(TIME_CHARACTERS, '0') + of.random;

const DATED_ID = /^[0-9a-f]{24}$/;

/** Returns the project id in the id of a rule or a share, or `undefined` for any other text. */
export const projectOfDatedId = (id: string): string | undefined =>
  DATED_ID.test(id) ? id.slice(0, -TIME_CHARACTERS - DATED_RANDOM_CHARACTERS) : undefined;

const INSTANCE_ID = /^[0-9a-f]{32}$/;
const RECORD_ID = /^[0-9a-f]{44}$/;

/** Returns the run id in an instance id, or `undefined` for any other text. */
export const runOfInstance = (instanceId: string): string | undefined =>
  INSTANCE_ID.test(instanceId) ? instanceId.slice(0, RUN_CHARACTERS) : undefined;

/** Returns the instance id and the test key in a record id, or `undefined` for any other text. */
export const partsOfRecord = (recordId: string): { instanceId: string; testKey: string } | undefined =>
  RECORD_ID.test(recordId)
    ? { instanceId: recordId.slice(0, -TEST_CHARACTERS), testKey: recordId.slice(-TEST_CHARACTERS) }
    : undefined;

export const attemptIdOf = (recordId: string, attempt: number): string => `${recordId}-${attempt}`;
