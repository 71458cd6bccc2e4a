/** The problems of a run as people see them: secrets are masked. */
import { makeVisibleLine, removeControlSequences, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { maskObject } from '#shared/masking/mask-object.ts';
import { maskBeginning } from '#shared/masking/masking.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import type { RunProblem } from '#shared/results/runs/problem-wire.ts';

export const presentProblems = (problems: readonly RunProblem[]): readonly RunProblem[] => maskObject([...problems]);

/** Each problem in one line. A message is masked before it is cut, because a cut secret may not be recognized. */
export const formatProblemLines = (problems: readonly RunProblem[]): string[] =>
  problems.map(({ file, message }) => {
    const { errorCharacters } = RESULT_LIMITS.comparison;
    const maskedMessage = removeControlSequences(maskBeginning(message, 2 * errorCharacters)).trim();
    const name = file === null ? '' : `${file}: `;
    return makeVisibleLine(takeFirstCharacters(`${name}${maskedMessage.split('\n', 1)[0]}`, errorCharacters));
  });
