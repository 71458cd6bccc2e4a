/** The addresses of what the answer to a red run names. */
import type { Run } from '#shared/model/runs/run.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import type { AnswerTarget } from '#shared/results/failures/answer.ts';

export function getAnswerUrl(
  origin: string,
  run: Pick<Run, 'organizationId' | 'projectId' | 'runId'>,
  target: AnswerTarget,
): string {
  switch (target.kind) {
    case 'cause':
      return `${getRunUrl(origin, run)}?${new URLSearchParams({ verdict: target.verdict, cause: target.cause })}`;
    case 'section':
      return `${getRunUrl(origin, run)}?${new URLSearchParams({ verdict: target.verdict })}`;
    case 'run':
      return getRunUrl(origin, { ...run, runId: target.runId });
    // The page of the test leads to the form for its rule.
    case 'test':
    case 'quarantine':
      return getTestUrl(origin, run, target.test);
  }
}
