/** The causes of the failures of a run, as its failure context shows them. */
import { type Failure, getPlaceInRun } from '#shared/model/results/failures.ts';
import { type AnswerPart, formatSentence, writeCauses } from '#shared/results/failures/answer.ts';
import { listCauses, presentCauses } from '#shared/results/failures/causes.ts';
import type { RunContext } from './context-wire.ts';

/** Absent if no test failed, or if an old version recorded the run. */
export function describeCauses(failedTests: readonly Failure[]): Pick<RunContext, 'answer' | 'causes' | 'causeCount'> {
  const facts = presentCauses(listCauses(failedTests.map((test) => ({ ...test, place: getPlaceInRun(test) }))));
  const totalFailedTests = failedTests.length;
  if (facts.causes.length === 0) return {};
  return { answer: formatSentence(writeFirstSentence({ totalFailedTests, ...facts })), ...facts };
}

export const writeFirstSentence = ({
  totalFailedTests: total,
  causeCount,
  causes = [],
}: Pick<RunContext, 'totalFailedTests' | 'causes' | 'causeCount'>): readonly AnswerPart[] =>
  writeCauses({ isWhole: true, total, causeCount, causes });
