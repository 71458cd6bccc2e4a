/**
 * Ids that follow from what they name, so that a re-delivered request meets the rows it wrote before. A longer id begins
 * with the shorter one it belongs to: an instance id leads to its run, a record id to its instance, without a read.
 */
import { digest } from '../table/keys.ts';

const RUN_CHARACTERS = 16;
const INSTANCE_CHARACTERS = 16;
const TEST_CHARACTERS = 12;
const MACHINE_CHARACTERS = 16;
const SIGNATURE_CHARACTERS = 32;

/** All machines of one CI build share a run. */
export const runIdOf = (of: { organizationId: string; projectId: string; ciBuildId: string }): string =>
  digest(RUN_CHARACTERS, of.organizationId, of.projectId, of.ciBuildId);

export const instanceIdOf = (of: { runId: string; groupId: string; spec: string }): string =>
  of.runId + digest(INSTANCE_CHARACTERS, of.groupId, of.spec);

/** Short name of a test within its instance. */
export const testKeyOf = (testId: string): string => digest(TEST_CHARACTERS, testId);

export const recordIdOf = (of: { instanceId: string; testId: string }): string => of.instanceId + testKeyOf(of.testId);

/** For processes that name no machine of their own. */
export const machineIdOf = (request: string): string => digest(MACHINE_CHARACTERS, 'machine', request);

/** §4.1 One test of a project, whatever group, branch or run it executes in. */
export const signatureOf = (of: {
  organizationId: string;
  projectId: string;
  spec: string;
  title: readonly string[];
}): string => digest(SIGNATURE_CHARACTERS, of.organizationId, of.projectId, of.spec, ...of.title);

/** One spec file of a project. Never that of a test, which has a title. */
export const specSignatureOf = (of: { organizationId: string; projectId: string; spec: string }): string =>
  digest(SIGNATURE_CHARACTERS, of.organizationId, of.projectId, of.spec);

const INSTANCE_ID = /^[0-9a-f]{32}$/;
const RECORD_ID = /^[0-9a-f]{44}$/;

/** The run of an instance; `undefined` for a text that is no instance id. */
export const runOfInstance = (instanceId: string): string | undefined =>
  INSTANCE_ID.test(instanceId) ? instanceId.slice(0, RUN_CHARACTERS) : undefined;

/** The instance and the test's short name; `undefined` for a text that is no record id. */
export const partsOfRecord = (recordId: string): { instanceId: string; testKey: string } | undefined =>
  RECORD_ID.test(recordId)
    ? { instanceId: recordId.slice(0, -TEST_CHARACTERS), testKey: recordId.slice(-TEST_CHARACTERS) }
    : undefined;

export const attemptIdOf = (recordId: string, attempt: number): string => `${recordId}-${attempt}`;
