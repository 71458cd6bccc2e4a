/**
 * Ids. The ids of runs, instances and test records are deterministic, so that a repeated request finds the rows that it
 * wrote before. The id of an instance begins with the id of its run, and the id of a test record begins with the id of
 * its instance. The run and the instance are therefore known without reading a row.
 */
import { createHash } from 'node:crypto';
import { computeDigest } from '#shared/engine/table/keys.ts';

const RUN_CHARACTERS = 16;
/** The position in an instance id at which the id of the run ends. */
export const INSTANCE_START = RUN_CHARACTERS;
const INSTANCE_CHARACTERS = 16;
export const TEST_CHARACTERS = 12;
const MACHINE_CHARACTERS = 16;
const SIGNATURE_CHARACTERS = 32;

/** All machines of one CI build share a run. */
export const deriveRunId = (build: { organizationId: string; projectId: string; ciBuildId: string }): string =>
  computeDigest(RUN_CHARACTERS, build.organizationId, build.projectId, build.ciBuildId);

export const deriveInstanceId = (file: { runId: string; groupId: string; spec: string }): string =>
  file.runId + computeDigest(INSTANCE_CHARACTERS, file.groupId, file.spec);

/** Holds the results of `source`, the key of a source, if other sources reported these tests first. */
export const deriveFurtherInstanceId = (file: {
  runId: string;
  groupId: string;
  spec: string;
  source: string;
}): string => file.runId + computeDigest(INSTANCE_CHARACTERS, file.groupId, file.spec, file.source);

/** Identifies a test within its instance. */
export const deriveTestKey = (testId: string): string => computeDigest(TEST_CHARACTERS, testId);

const PLACE_CHARACTERS = 16;

/** Identifies a test of a group across the tries of a build. */
export const deriveTestPlace = (test: { groupId: string; spec: string; testKey: string }): string =>
  computeDigest(PLACE_CHARACTERS, test.groupId, test.spec, test.testKey);

const MADE_CHARACTERS = 16;

/** For frameworks without test ids: the same on each machine and in each run. `copy` tells equal names apart. */
export const makeTestId = (spec: string, title: readonly string[], copy = 0): string =>
  createHash('sha256')
    .update(JSON.stringify(copy > 0 ? [spec, title, copy] : [spec, title]))
    .digest('hex')
    .slice(0, MADE_CHARACTERS);

/** Whether `makeTestId` may have made this id. The ids of Playwright are longer. */
export const isMadeTestId = (testId: string): boolean =>
  testId.length === MADE_CHARACTERS && /^[0-9a-f]+$/.test(testId);

export const deriveRecordId = (test: { instanceId: string; testId: string }): string =>
  test.instanceId + deriveTestKey(test.testId);

const MACHINE_KEY_CHARACTERS = 16;

/** The key of the claims and joins of a machine that names itself. */
export const deriveMachineKey = (machineId: string): string =>
  computeDigest(MACHINE_KEY_CHARACTERS, `machine ${machineId}`);

/** For a process that reports no machine id. */
export const makeMachineId = (request: string): string => computeDigest(MACHINE_CHARACTERS, 'machine', request);

/** §4.1 Identifies a test of a project across groups, branches and runs. */
export const deriveSignature = (test: {
  organizationId: string;
  projectId: string;
  spec: string;
  title: readonly string[];
}): string => computeDigest(SIGNATURE_CHARACTERS, test.organizationId, test.projectId, test.spec, ...test.title);

/** Never equals the signature of a test, because a test also has a title. */
export const deriveSpecSignature = (file: { organizationId: string; projectId: string; spec: string }): string =>
  computeDigest(SIGNATURE_CHARACTERS, file.organizationId, file.projectId, file.spec);

const TIME_CHARACTERS = 11;
export const DATED_RANDOM_CHARACTERS = 7;

/** Of a rule or a share: 24 hex characters, as clients expect for rules. Sorts by creation within the project. */
export const composeDatedId = (parts: { projectId: string; createdAt: number; random: string }): string =>
  parts.projectId + parts.createdAt.toString(16).padStart(TIME_CHARACTERS, '0') + parts.random;

const DATED_ID = /^[0-9a-f]{24}$/;

/** From the id of a rule or a share. Returns `undefined` for any other text. */
export const extractProjectId = (id: string): string | undefined =>
  DATED_ID.test(id) ? id.slice(0, -TIME_CHARACTERS - DATED_RANDOM_CHARACTERS) : undefined;

const INSTANCE_ID = /^[0-9a-f]{32}$/;
const RECORD_ID = /^[0-9a-f]{44}$/;

/** Returns `undefined` if the text is no instance id. */
export const extractRunId = (instanceId: string): string | undefined =>
  INSTANCE_ID.test(instanceId) ? instanceId.slice(0, RUN_CHARACTERS) : undefined;

/** Returns `undefined` if the text is no record id. */
export const splitRecordId = (recordId: string): { instanceId: string; testKey: string } | undefined =>
  RECORD_ID.test(recordId)
    ? { instanceId: recordId.slice(0, -TEST_CHARACTERS), testKey: recordId.slice(-TEST_CHARACTERS) }
    : undefined;

export const composeAttemptId = (recordId: string, attempt: number): string => `${recordId}-${attempt}`;
