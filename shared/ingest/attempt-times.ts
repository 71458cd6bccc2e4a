/** The first start and the last end of uploaded tests, in milliseconds. `undefined` if no attempt has a start time. */
import type { RecordedTest } from '#shared/model/instance-details.ts';
import type { ReportedTest } from './reported.ts';

export const startOf = (tests: readonly Pick<ReportedTest, 'attempts'>[]): number | undefined => {
  const starts = tests.flatMap(({ attempts }) => attempts).flatMap(({ startedAt }) => startedAt ?? []);
  return starts.length > 0 ? starts.reduce((first, start) => Math.min(first, start)) : undefined;
};

export const endOf = (tests: readonly RecordedTest[]): number | undefined => {
  const attempts = tests.flatMap((test) => test.attempts);
  const ends = attempts.flatMap(({ startedAt, duration }) => (startedAt === null ? [] : startedAt + duration));
  return ends.length > 0 ? ends.reduce((last, end) => Math.max(last, end)) : undefined;
};
