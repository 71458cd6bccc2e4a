/** Runs and tests with defaults, for examples that were computed by hand. */
import type { SentAttempt, SentError, SentInstance, SentRun, SentTest } from './sent.ts';

export const DAY = 24 * 60 * 60_000;
/** A Tuesday. */
export const MIDNIGHT = Date.parse('2026-11-03T00:00:00Z');
export const PERIOD = { from: MIDNIGHT, to: MIDNIGHT + DAY };
export const EVERYTHING = { period: PERIOD, filter: {} };

export const BROKEN: SentError = {
  text: 'Error: broken',
  message: 'broken',
  target: null,
  action: 'click',
  category: 'Action',
};

export const attempt = (
  status: SentAttempt['status'],
  duration: number,
  error: SentError | null = null,
): SentAttempt => ({
  status,
  startedAt: MIDNIGHT,
  duration,
  error,
});

export const passedTest = (title: string, more: Partial<SentTest> = {}): SentTest => ({
  title: ['cart', title],
  outcome: 'passed',
  expectedStatus: 'passed',
  attempts: [attempt('passed', 100)],
  tags: [],
  annotations: [],
  done: true,
  ...more,
});

export const failedTest = (title: string, more: Partial<SentTest> = {}): SentTest =>
  passedTest(title, { outcome: 'failed', attempts: [attempt('failed', 300, BROKEN)], ...more });

export const flakyTest = (title: string, more: Partial<SentTest> = {}): SentTest =>
  passedTest(title, { attempts: [attempt('failed', 500, BROKEN), attempt('passed', 200)], ...more });

export const instance = (tests: readonly SentTest[], more: Partial<SentInstance> = {}): SentInstance => ({
  group: 'web',
  spec: 'cart.spec.ts',
  isClaimed: true,
  expected: tests.length,
  tests,
  ...more,
});

export const run = (instances: readonly SentInstance[], more: Partial<SentRun> = {}): SentRun => ({
  runId: 'r1',
  createdAt: MIDNIGHT,
  ending: 'COMPLETE',
  endedAt: MIDNIGHT + 60_000,
  isDeleted: false,
  tags: [],
  branch: 'main',
  sha: null,
  authorName: 'Ada',
  authorEmail: 'ada@example.com',
  groups: [{ name: 'web', tags: [], environment: null }],
  instances,
  ...more,
});
