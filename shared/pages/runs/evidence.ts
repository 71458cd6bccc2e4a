/** What the pages of runs and pull requests show of a test besides the comparison. */
import { readShownError } from '#shared/context/shown-error.ts';
import type { ErrorReading } from '#shared/errors/read-error.ts';
import type { SectionsResult } from '#shared/results/comparisons/comparison-sections.ts';
import type { ComparedTest, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import type { NextOf } from '#shared/results/executions/next-executions.ts';
import type { QuarantineOf } from '#shared/rules/quarantines.ts';
import type { PictureOf } from './failure-picture.tsx';

type RecordedTest = Pick<ComparedTest, 'instanceId' | 'testId'>;

interface ErrorEvidence {
  /** The error that is shown of the test. */
  readonly findErrorReading: (test: RecordedTest) => ErrorReading | undefined;
  /** Errors of the attempt besides the one that is shown, such as those of soft assertions. */
  readonly countFurtherErrors: (test: RecordedTest) => number;
}

export interface Evidence extends ErrorEvidence {
  /** Returns executions of a test, newest first. `selectStripExecutions` selects those that the test's strip shows. */
  readonly stripOf: (test: Pick<ComparedTest, 'signature'>) => readonly ShownExecution[];
  /** Returns the object name of the latest trace of a test. */
  readonly traceOf: (test: RecordedTest) => string | undefined;
  readonly pictureOf: PictureOf;
  /** Returns the next execution on the same branch, for a test that has newly failed. */
  readonly nextOf: NextOf;
  /** Returns nothing for people who may not see rules. */
  readonly quarantineOf: QuarantineOf;
}

/** Failures that the commit of the run may have caused. Pages show them with the whole error and a picture. */
export const MAY_BE_CAUSED_HERE: ReadonlySet<Verdict> = new Set(['new', 'failed']);

/** Reads each error only once, because a page shows several parts of it in different places. */
export function makeErrorEvidence(errorsOf: SectionsResult<unknown>['errorsOf']): ErrorEvidence {
  const readings = new Map<string, ErrorReading>();
  return {
    findErrorReading(test) {
      const [error] = errorsOf(test);
      if (!error) return undefined;
      const key = `${test.instanceId} ${test.testId}`;
      const reading = readings.get(key) ?? readShownError(error);
      readings.set(key, reading);
      return reading;
    },
    countFurtherErrors: (test) => Math.max(0, errorsOf(test).length - 1),
  };
}
