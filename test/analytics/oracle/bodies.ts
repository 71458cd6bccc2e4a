/** The messages that a reporter sends about the tests of a generated run. */
import { type Attempt, attempt, error, testIdOf } from '#test/harness/recording-messages.ts';
import { isFlaky } from './judgement.ts';
import type { SentAttempt, SentGroup, SentTest } from './sent.ts';

interface Placed {
  readonly group: string;
  readonly spec: string;
  readonly test: SentTest;
}

const idOf = ({ group, spec, test }: Placed): string => testIdOf(group, JSON.stringify([spec, ...test.title]));

export const suiteBody = (groups: readonly SentGroup[], tests: readonly Placed[]) =>
  groups.map(({ name, tags, environment }) => ({
    name,
    tags,
    ...(environment === null ? {} : { environment }),
    tests: tests
      .filter(({ group }) => group === name)
      .map((one) => ({ testId: idOf(one), spec: one.spec, title: one.test.title, tags: [], isOnly: false })),
  }));

export const instanceBody = (tests: readonly Placed[]) => ({
  groupId: tests[0]?.group,
  spec: tests[0]?.spec,
  results: { stats: {}, tests: tests.map((one) => ({ ...bodyOf(one), state: one.test.outcome })) },
});

const bodyOf = (one: Placed) => ({
  testId: idOf(one),
  title: one.test.title,
  expectedStatus: one.test.expectedStatus,
  isFlaky: isFlaky(one.test),
  attempts: one.test.attempts.map(attemptBody),
  tags: one.test.tags,
  annotations: annotationsOf(one.test),
});

const annotationsOf = ({ annotations }: SentTest) =>
  annotations.map(({ type, description }) => ({ type, ...(description === null ? {} : { description }) }));

const attemptBody = ({ status, startedAt, duration, error: sent }: SentAttempt, place: number): object => {
  const errors = sent === null ? [] : [error(sent.text)];
  const more: Partial<Attempt> = { attempt: place, duration, errors };
  return { ...attempt(status, more), startTime: startedAt === null ? null : new Date(startedAt).toISOString() };
};

/** The first message about a streamed test, while the test is running. */
export const firstBody = (
  of: { runId: string; groupId: string; instanceId: string; spec: string },
  test: SentTest,
) => ({
  ...of,
  _t: 0,
  _s: 'pending',
  _d: false,
  _f: false,
  attempts: [],
  annotations: [],
  tags: test.tags,
  testId: idOf({ group: of.groupId, spec: of.spec, test }),
  title: test.title,
  expectedStatus: test.expectedStatus,
});

/** The last message about a streamed test. */
export const laterBody = (test: SentTest) => ({
  _t: 1,
  _s: test.outcome,
  _d: true,
  _f: isFlaky(test),
  attempts: test.attempts.map(attemptBody),
  annotations: annotationsOf(test),
  tags: test.tags,
});
