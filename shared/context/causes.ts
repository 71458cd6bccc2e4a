/** The causes of the failures of a run or a spec file, as its failure context shows them. */
import { type Failure, getPlaceInRun } from '#shared/model/results/failures.ts';
import { type AnswerPart, formatSentence, writeCauses } from '#shared/results/failures/answer.ts';
import { listCauses, presentCauses } from '#shared/results/failures/causes.ts';
import type { InstanceContext, RunContext } from './context-wire.ts';

type Facts = Pick<RunContext, 'answer' | 'causes' | 'causeCount'>;

/** Absent if no test failed, or if an old version recorded the run. */
export function describeCauses(failedTests: readonly Failure[]): Facts {
  const facts = presentCauses(listCauses(failedTests.map((test) => ({ ...test, place: getPlaceInRun(test) }))));
  const { causes, causeCount } = facts;
  if (causes.length === 0) return {};
  const sentence = writeCauses({ isWhole: true, total: failedTests.length, causes, causeCount });
  return { answer: formatSentence(sentence), ...facts };
}

/** `undefined` if the causes are not known, or if no test failed. */
export function writeFirstSentence(context: RunContext | InstanceContext): readonly AnswerPart[] | undefined {
  const { causes, causeCount } = context;
  if (!causes || causes.length === 0) return undefined;
  const total = context.level === 'run' ? context.totalFailedTests : context.total;
  return writeCauses({ isWhole: true, total, causeCount, causes });
}
