/** §2.4 Describes one attempt of one test. */
import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { isSameError } from '#shared/errors/same-error.ts';
import { LEFT_OUT } from '#shared/masking/masking.ts';
import { signatureOf } from '#shared/model/ids.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Attempt, AttemptError } from '#shared/model/tests/attempt.ts';
import type { AttemptEvidence, Evidence, EvidenceStep, TraceErrorAnalysis } from '#shared/model/tests/evidence.ts';
import { isoTime } from '#shared/results/test-result.ts';
import type { Services } from '#shared/services.ts';
import { linkAttempt } from './assets.ts';
import type { ErrorInfo, Step, TestContext } from './context-wire.ts';
import { failureContextOf } from './failure-analysis.ts';
import type { LoadedTest } from './load-evidence.ts';
import type { LoadingRoom } from './loading-room.ts';
import { environmentOf, gitOf } from './surroundings.ts';

interface Subject extends LoadedTest {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly instanceId: string;
}

/**
 * Describes the given attempt, else the last attempt with an error, else the last one. Throws 404 for an unknown
 * attempt.
 */
export async function describeTest(
  { artifacts, now }: Services,
  { run, group, instanceId, projectId, groupId, spec, test, evidence, traces, files }: Subject,
  { attempt, room }: { readonly attempt?: number | undefined; readonly room: LoadingRoom },
): Promise<Omit<z.infer<typeof TestContext>, 'level'>> {
  const shown = attemptOf(test.attempts, attempt);
  const index = shown.attempt;
  const error = shown.errors[0] ?? null;
  const otherAttempts = test.attempts.filter((other) => other !== shown).map((other) => presentOther(other, error));
  const unpacked = evidenceOf(evidence, test.attempts.indexOf(shown), room);
  const left = room.takes({ error, otherAttempts, evidence: unpacked }) ? unpacked : LEFT_OUT_EVIDENCE;
  const steps = left.steps.map(presentStep);
  const { assets, errorContext } = await linkAttempt(artifacts, files, index);
  const trace = traces.find(({ attempt: traced }) => traced === index);
  const analysis = trace && room.unpack<TraceErrorAnalysis>(trace.packed);
  return {
    spec,
    test: {
      title: [...test.title],
      status: test.outcome,
      attempt: index,
      totalAttempts: test.attempts.length,
      duration: shown.duration,
    },
    error,
    otherAttempts,
    errorContext,
    traceErrorAnalysis: analysis
      ? { consoleEntries: [...analysis.consoleEntries], networkRequests: [...analysis.networkRequests] }
      : null,
    failureContext: failureContextOf(steps, error),
    steps,
    stdout: [...left.stdout],
    stderr: [...left.stderr],
    assets,
    meta: {
      projectId,
      runId: run.runId,
      instanceId,
      testId: test.testId,
      signature: signatureOf({ organizationId: run.organizationId, projectId, spec, title: test.title }),
      attempt: index,
      ...expiredParts(run, now()),
    },
    environment: environmentOf(run, group, groupId),
    git: gitOf(run),
  };
}

const NO_EVIDENCE: AttemptEvidence = { steps: [], stdout: [], stderr: [] };
const LEFT_OUT_EVIDENCE: AttemptEvidence = { ...NO_EVIDENCE, stdout: [LEFT_OUT] };

function evidenceOf(packed: Uint8Array | undefined, place: number, room: LoadingRoom): AttemptEvidence {
  if (!packed) return NO_EVIDENCE;
  const evidence = room.unpack<Evidence>(packed);
  return evidence ? (evidence[place] ?? NO_EVIDENCE) : LEFT_OUT_EVIDENCE;
}

function expiredParts({ expiry }: Run, now: number): Pick<TestContext['meta'], 'evidenceExpiredAt' | 'filesExpiredAt'> {
  const [evidenceExpiredAt, filesExpiredAt] = [expiry.evidence, expiry.files].map((end = Number.POSITIVE_INFINITY) =>
    end * 1000 <= now ? isoTime(end * 1000) : undefined,
  );
  return {
    ...(evidenceExpiredAt === undefined ? {} : { evidenceExpiredAt }),
    ...(filesExpiredAt === undefined ? {} : { filesExpiredAt }),
  };
}

/** A test that never started has no attempt. Only its name is known. */
const NO_ATTEMPT: Attempt = {
  attempt: 0,
  state: 'skipped',
  rawStatus: 'skipped',
  startedAt: null,
  duration: 0,
  workerIndex: -1,
  parallelIndex: -1,
  errors: [],
};

function attemptOf(attempts: readonly Attempt[], asked: number | undefined): Attempt {
  if (asked === undefined) return attempts.findLast(({ errors }) => errors.length > 0) ?? attempts.at(-1) ?? NO_ATTEMPT;
  const found = attempts.find(({ attempt }) => attempt === asked);
  if (!found) throw notFound(`Attempt ${asked} of this test, which has ${attempts.length} attempts (counted from 0),`);
  return found;
}

function presentOther(other: Attempt, shown: AttemptError | null) {
  const [error] = other.errors;
  return {
    attempt: other.attempt,
    status: other.state,
    sameError: error !== undefined && shown !== null && isSameError(error.message, shown.message),
    error: error ? { message: error.message, location: error.location } : null,
  };
}

const presentError = (error: AttemptError | null): ErrorInfo | null => error && { ...error };

const presentStep = ({ title, category, duration, error, steps }: EvidenceStep): Step => ({
  title,
  category,
  duration,
  error: presentError(error),
  steps: steps.map(presentStep),
});
