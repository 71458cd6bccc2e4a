/** Adds up and filters totals. */
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { PerOutcome, Totals } from '../read-model.ts';

export const OUTCOMES = RecordedTestOutcome.options;

const mapOutcomes = (value: (outcome: RecordedTestOutcome) => number): PerOutcome => ({
  passed: value('passed'),
  failed: value('failed'),
  pending: value('pending'),
  skipped: value('skipped'),
});

const buildTotals = (value: (name: keyof Totals, outcome: RecordedTestOutcome) => number): Totals => ({
  executions: mapOutcomes((outcome) => value('executions', outcome)),
  flaky: mapOutcomes((outcome) => value('flaky', outcome)),
  milliseconds: mapOutcomes((outcome) => value('milliseconds', outcome)),
  timed: mapOutcomes((outcome) => value('timed', outcome)),
});

export const addTotals = (one: Totals, other: Totals): Totals =>
  buildTotals((name, outcome) => one[name][outcome] + other[name][outcome]);

export const filterOutcomes = (totals: Totals, outcomes: readonly RecordedTestOutcome[]): Totals =>
  buildTotals((name, outcome) => (outcomes.includes(outcome) ? totals[name][outcome] : 0));

export const sumOutcomes = (numbers: PerOutcome, outcomes: readonly RecordedTestOutcome[]): number =>
  outcomes.reduce((sum, outcome) => sum + numbers[outcome], 0);
