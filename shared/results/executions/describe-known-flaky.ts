/** Without access to the table, because the Markdown renderer, whose bundle stays small, says it, too. */
import { formatCount } from '#shared/engine/format-count.ts';
import type { ComparedTest } from '../comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';

export type KnownFlaky = NonNullable<ComparedTest['knownFlaky']>;

/** For example `7 flaky executions in the 14 days before, on all branches`. Other places count other days or branches. */
export const describeKnownFlaky = ({ events, isLowerBound }: KnownFlaky): string =>
  `${isLowerBound ? 'at least ' : ''}${formatCount(events, 'flaky execution')} in the ${RESULT_LIMITS.flaky.days} days before, on all branches`;
