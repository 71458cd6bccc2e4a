/** Adds up and filters totals. */
import { RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';
import type { PerOutcome, Totals } from '../read-model.ts';

export const OUTCOMES = RecordedTestOutcome.options;

const perOutcome = (value: (outcome: RecordedTestOutcome) => number): PerOutcome => ({
  passed: value('passed'),
  failed: value('failed'),
  pending: value('pending'),
  skipped: value('skipped'),
});

const combined = (value: (name: keyof Totals, outcome: RecordedTestOutcome) => number): Totals => ({
  executions: perOutcome((outcome) => value('executions', outcome)),
  flaky: perOutcome((outcome) => value('flaky', outcome)),
  milliseconds: perOutcome((outcome) => value('milliseconds', outcome)),
  timed: perOutcome((outcome) => value('timed', outcome)),
});

export const added = (one: Totals, other: Totals): Totals =>
  combined((name, outcome) => one[name][outcome] + other[name][outcome]);

/** The totals of only those executions that have one of these outcomes. */
export const withOutcomes = (totals: Totals, outcomes: readonly RecordedTestOutcome[]): Totals =>
  combined((name, outcome) => (outcomes.includes(outcome) ? totals[name][outcome] : 0));

export const sumOf = (numbers: PerOutcome, outcomes: readonly RecordedTestOutcome[]): number =>
  outcomes.reduce((sum, outcome) => sum + numbers[outcome], 0);
