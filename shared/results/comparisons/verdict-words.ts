/** The words for verdicts that people read. Pages, messages and comments use no others. */
import type { Verdict } from './comparison-wire.ts';

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  new: 'new',
  failed: 'failed',
  still_failing: 'still failing',
  flaky: 'flaky',
  fixed: 'fixed',
  not_run: 'not run',
};
