/** Converts a CTRF test. */
import { withErrorsOfPasses } from '#shared/model/tests/attempt.ts';
import type { AttemptEvidence } from '#shared/model/tests/evidence.ts';
import { expectedByAnnotations, keptAnnotations } from '#shared/reports/annotations.ts';
import { base64File } from '#shared/reports/base64-file.ts';
import { errorOf } from '#shared/reports/error-texts.ts';
import type { FoundAttempt, FoundFile, FoundTest } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { keptOutput } from '#shared/reports/output.ts';
import { keptSteps } from '#shared/reports/steps-wire.ts';
import { keptTags } from '#shared/reports/tags.ts';
import { epochIn, millisecondsOf } from '#shared/reports/times.ts';
import type { CtrfAttachment, CtrfAttempt, CtrfTest } from './ctrf-wire.ts';
import { ctrfPlaceOf } from './place.ts';

export interface CtrfContext {
  readonly tool: string;
  readonly root: string | undefined;
  readonly now: number;
  readonly fileAt: (of: CtrfAttachment) => FoundFile | undefined;
}

type Meaning = Pick<FoundTest, 'outcome' | 'expectedStatus'> & {
  readonly state: FoundAttempt['state'];
  readonly raw: string;
};

const PASSED: Meaning = { outcome: 'passed', expectedStatus: 'passed', state: 'passed', raw: 'passed' };
const FAILED: Meaning = { outcome: 'failed', expectedStatus: 'passed', state: 'failed', raw: 'failed' };
const PENDING: Meaning = { outcome: 'pending', expectedStatus: 'skipped', state: 'pending', raw: 'skipped' };
const SKIPPED: Meaning = { outcome: 'skipped', expectedStatus: 'passed', state: 'skipped', raw: 'skipped' };
const EXPECTED_FAILURE: Meaning = { outcome: 'passed', expectedStatus: 'failed', state: 'failed', raw: 'failed' };
const UNEXPECTED_PASS: Meaning = { outcome: 'failed', expectedStatus: 'failed', state: 'passed', raw: 'passed' };

export function foundCtrf(test: CtrfTest, context: CtrfContext): FoundTest {
  const place = ctrfPlaceOf(test, context.tool, context.root);
  const meaning = context.tool === 'playwright' ? playwrightMeaning(test) : meaningOf(test);
  const own = attemptOf(test, { ...context, spec: place.spec, meaning });
  const steps = keptSteps(test.steps);
  const attempts = [...earlierTries(test, { ...context, spec: place.spec, meaning }), withSteps(own, steps)];
  return {
    ...place,
    outcome: meaning.outcome,
    expectedStatus: meaning.expectedStatus,
    flaky: test.flaky,
    attempts: withErrorsOfPasses(attempts, meaning.expectedStatus === 'failed'),
    annotations: keptAnnotations(test.extra),
    tags: keptTags(test.tags),
  };
}

function meaningOf({ status, rawStatus }: CtrfTest): Meaning {
  if (/^x-?fail(?:ed)?$/.test(rawStatus)) return EXPECTED_FAILURE;
  if (status === 'passed') return PASSED;
  if (status === 'failed') return FAILED;
  if (status === 'skipped' || status === 'pending') return PENDING;
  return rawStatus === 'todo' ? PENDING : SKIPPED;
}

/** The writer's `status` and `flaky` are wrong for expected failures. The annotations and the last status are right. */
function playwrightMeaning({ rawStatus, status, extra }: CtrfTest): Meaning {
  const expected = expectedByAnnotations(extra);
  const raw = rawStatus || status;
  if (raw === 'skipped' || raw === 'interrupted') return expected === 'skipped' ? PENDING : SKIPPED;
  if (expected === 'failed' && raw !== 'timedOut') return raw === 'passed' ? UNEXPECTED_PASS : EXPECTED_FAILURE;
  if (raw === 'passed') return PASSED;
  return { ...FAILED, raw, expectedStatus: expected === 'failed' ? 'failed' : 'passed' };
}

interface AttemptContext extends CtrfContext {
  readonly spec: string;
  readonly meaning: Meaning;
}

function attemptOf(attempt: CtrfAttempt, { meaning, spec, now, fileAt }: AttemptContext): FoundAttempt {
  const hasError = attempt.message !== '' || attempt.trace !== '';
  const error = hasError
    ? [{ message: attempt.message.trimEnd(), stack: attempt.trace, snippet: attempt.snippet }]
    : meaning.state === 'failed'
      ? [{ message: '', stack: '' }]
      : [];
  return {
    state: meaning.state,
    rawStatus: meaning.raw,
    startedAt: epochIn(attempt.start, now),
    duration: millisecondsOf(attempt.duration ?? 0),
    errors: meaning.raw === 'skipped' ? [] : error.map((parts) => errorOf({ ...parts, spec })),
    evidence: outputOf(attempt),
    files: attempt.attachments.flatMap((attachment) => fileOf(attachment, fileAt) ?? []),
  };
}

const fileOf = (attachment: CtrfAttachment, fileAt: CtrfContext['fileAt']): FoundFile | undefined =>
  attachment.body === '' ? fileAt(attachment) : base64File(attachment, attachment.body);

const outputOf = ({ stdout, stderr }: CtrfAttempt): AttemptEvidence => ({
  steps: [],
  stdout: keptOutput(stdout),
  stderr: keptOutput(stderr),
});

const withSteps = (attempt: FoundAttempt, steps: AttemptEvidence['steps']): FoundAttempt =>
  attempt.evidence && steps.length > 0 ? { ...attempt, evidence: { ...attempt.evidence, steps } } : attempt;

/**
 * Attempts before the last one. Some writers only count them, so failed attempts without an error stand in for them.
 */
function earlierTries(test: CtrfTest, context: AttemptContext): FoundAttempt[] {
  const retries = Math.min(Math.max(0, Math.trunc(test.retries ?? 0)), REPORT_LIMITS.attemptsPerTest - 1);
  // Some writers also list the last attempt.
  const listed = test.retryAttempts.slice(0, retries > 0 ? retries : undefined);
  const tries = listed.map((attempt) => attemptOf(attempt, { ...context, meaning: triedBefore(attempt, context) }));
  const missing = Array.from({ length: retries - tries.length }, () => UNKNOWN_TRY);
  return [...missing, ...tries];
}

function triedBefore({ status }: CtrfAttempt, { meaning }: AttemptContext): Meaning {
  if (meaning.expectedStatus === 'failed') return status === 'passed' ? UNEXPECTED_PASS : EXPECTED_FAILURE;
  return status === 'passed' ? PASSED : status === 'skipped' || status === 'pending' ? SKIPPED : FAILED;
}

const UNKNOWN_TRY: FoundAttempt = { state: 'failed', rawStatus: 'failed', startedAt: null, duration: 0, errors: [] };
