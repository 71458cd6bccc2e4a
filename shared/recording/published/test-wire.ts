/** Messages about a test, and the tests of a batch upload. */
import * as z from 'zod';
import { keepFirst } from '#shared/engine/http/lists.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { sentId, sentSpec, sentTitle } from '#shared/model/names.ts';
import { tags } from '#shared/recording/run-wire.ts';
import { sentIds } from '#shared/recording/sent-ids.ts';
import {
  Annotations,
  attemptMembers,
  expectedStatus,
  isFlaky,
  makeFinishedTest,
  Outcome,
  toAttempts,
} from '#shared/recording/test-wire.ts';

export const WireAttempt = z.object({ _s: Outcome, ...attemptMembers });

const Attempts = keepFirst(MODEL_LIMITS.attemptsPerTest, WireAttempt).transform((all) =>
  toAttempts(all.map(({ _s, ...attempt }) => ({ ...attempt, state: _s }))),
);

const messageMembers = {
  _t: z.int().nonnegative(),
  _s: Outcome,
  _d: z.boolean(),
  _f: isFlaky,
  attempts: Attempts,
  annotations: Annotations,
  tags,
};

/** Gives the short members their names. */
const spellOut = <Message extends Pick<z.output<z.ZodObject<typeof messageMembers>>, '_t' | '_s' | '_d' | '_f'>>({
  _t,
  _s,
  _d,
  _f,
  ...members
}: Message) => ({ ...members, sequence: _t, outcome: _s, done: _d, flaky: _f });

const { groupId, ...sentWithUpdates } = sentIds;
export const UpdateTestRecordBody = z.object({ ...messageMembers, ...sentWithUpdates }).transform(spellOut);
export type UpdateTestRecordBody = z.output<typeof UpdateTestRecordBody>;

export const CreateTestRecordBody = z
  .object({
    ...messageMembers,
    instanceId: sentId,
    runId: sentId,
    groupId: sentId,
    testId: sentId,
    machineId: sentId.nullish(),
    spec: sentSpec,
    title: sentTitle,
    expectedStatus,
  })
  .transform(spellOut);
export type CreateTestRecordBody = z.output<typeof CreateTestRecordBody>;

/** What both messages say. */
export type TestMessage = Pick<
  CreateTestRecordBody,
  'sequence' | 'outcome' | 'done' | 'flaky' | 'attempts' | 'annotations' | 'tags'
>;

/** A test in a batch upload. Its result is already final. */
export const BatchTest = makeFinishedTest(Attempts);

export const TestRecordAnswer = z.object({ recordId: z.string() });
