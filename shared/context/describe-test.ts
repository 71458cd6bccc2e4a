/** §2.4 Describes one attempt of one test. */
import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { isSameError } from '#shared/errors/same-error.ts';
import { LEFT_OUT } from '#shared/masking/mask-object.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import type { Attempt, AttemptError } from '#shared/model/results/attempt.ts';
import type { AttemptEvidence, Evidence, EvidenceStep, TraceErrorAnalysis } from '#shared/model/results/evidence.ts';
import { isOfReporter } from '#shared/model/rules/rule-marks.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { linkAttempt } from './attempt-files.ts';
import type { Step, TestContext } from './context-wire.ts';
import { buildFailureContext } from './failure-context.ts';
import type { LoadedTest } from './load-evidence.ts';
import type { LoadingRoom } from './loading-room.ts';
import { describeEnvironment, describeGit } from './surroundings.ts';

interface TestInRun extends LoadedTest {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly instanceId: string;
}

/** Default attempt: the last one with an error, or else the last. Throws 404 for an unknown attempt. */
export async function describeTest(
  { artifacts, now }: Services,
  { run, group, instanceId, projectId, groupId, spec, test, evidence, traces, files }: TestInRun,
  { attempt: requestedAttempt, room }: { readonly attempt?: number | undefined; readonly room: LoadingRoom },
): Promise<Omit<z.infer<typeof TestContext>, 'level'>> {
  const shownAttempt = pickAttempt(test.attempts, requestedAttempt);
  const { attempt } = shownAttempt;
  const [error = null, ...others] = shownAttempt.errors;
  const furtherErrors = others.map(({ message, location, snippet }) => ({ message, location, snippet }));
  const otherAttempts = test.attempts
    .filter((other) => other !== shownAttempt)
    .map((other) => presentOtherAttempt(other, error));
  const unpackedEvidence = unpackEvidence(evidence, test.attempts.indexOf(shownAttempt), room);
  const hasRoom = room.takes({ error, furtherErrors: others, otherAttempts, evidence: unpackedEvidence });
  const shownEvidence = hasRoom ? unpackedEvidence : LEFT_OUT_EVIDENCE;
  const steps = shownEvidence.steps.map(presentStep);
  const { assets, errorContext } = await linkAttempt(artifacts, files, attempt);
  const formatIfExpired = (end = Number.POSITIVE_INFINITY) =>
    end * 1000 <= now() ? formatIsoTime(end * 1000) : undefined;
  return {
    spec,
    test: {
      title: [...test.title],
      status: test.outcome,
      attempt,
      totalAttempts: test.attempts.length,
      duration: shownAttempt.duration,
    },
    error,
    furtherErrors: omitIfEmpty(furtherErrors),
    ...describeLabels(test, { run, group }),
    otherAttempts,
    errorContext,
    traceErrorAnalysis: unpackAnalysis(traces, attempt, room),
    failureContext: buildFailureContext(steps, error),
    steps,
    stdout: [...shownEvidence.stdout],
    stderr: [...shownEvidence.stderr],
    assets,
    meta: {
      projectId,
      runId: run.runId,
      instanceId,
      testId: test.testId,
      signature: deriveSignature({ organizationId: run.organizationId, projectId, spec, title: test.title }),
      attempt,
      evidenceExpiredAt: formatIfExpired(run.expiry.evidence),
      filesExpiredAt: formatIfExpired(run.expiry.files),
    },
    environment: describeEnvironment(run, group, groupId),
    git: describeGit(run),
  };
}

const omitIfEmpty = <Item>(items: Item[]): Item[] | undefined => (items.length === 0 ? undefined : items);

/** What people wrote on the test. Annotations of our reporters say which rules matched, and are shown elsewhere. */
function describeLabels(
  { annotations, tags }: LoadedTest['test'],
  { run, group }: { readonly run: Run; readonly group: Group | undefined },
): Pick<TestContext, 'annotations' | 'tags'> {
  const ownAnnotations = annotations.filter((annotation) => !isOfReporter(annotation));
  const ownTags = tags.filter((tag) => !run.tags.includes(tag) && group?.tags.includes(tag) !== true);
  return { annotations: omitIfEmpty(ownAnnotations), tags: omitIfEmpty(ownTags) };
}

const NO_EVIDENCE: AttemptEvidence = { steps: [], stdout: [], stderr: [] };
const LEFT_OUT_EVIDENCE: AttemptEvidence = { ...NO_EVIDENCE, stdout: [LEFT_OUT] };

/** `index`: the position of the attempt among the attempts of the test. */
function unpackEvidence(packedEvidence: Uint8Array | undefined, index: number, room: LoadingRoom): AttemptEvidence {
  if (!packedEvidence) return NO_EVIDENCE;
  const evidence = room.unpack<Evidence>(packedEvidence);
  if (!evidence) return LEFT_OUT_EVIDENCE;
  return evidence[index] ?? NO_EVIDENCE;
}

function unpackAnalysis(
  traces: LoadedTest['traces'],
  shownAttempt: number,
  room: LoadingRoom,
): z.infer<typeof TestContext>['traceErrorAnalysis'] {
  const trace = traces.find(({ attempt }) => attempt === shownAttempt);
  const analysis = trace && room.unpack<TraceErrorAnalysis>(trace.packed);
  if (!analysis) return null;
  return { consoleEntries: [...analysis.consoleEntries], networkRequests: [...analysis.networkRequests] };
}

/** Stands in for the attempt of a test that never started. Only the name of such a test is known. */
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

function pickAttempt(attempts: readonly Attempt[], requestedAttempt: number | undefined): Attempt {
  if (requestedAttempt === undefined)
    return attempts.findLast(({ errors }) => errors.length > 0) ?? attempts.at(-1) ?? NO_ATTEMPT;
  const match = attempts.find(({ attempt }) => attempt === requestedAttempt);
  const all = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
  if (!match) throw notFound(`Attempt ${requestedAttempt} of this test (which has ${all}, counted from 0)`);
  return match;
}

function presentOtherAttempt(other: Attempt, shownError: AttemptError | null) {
  const [error] = other.errors;
  return {
    attempt: other.attempt,
    status: other.state,
    duration: other.duration,
    sameError: error !== undefined && shownError !== null && isSameError(error.message, shownError.message),
    error: error ? { message: error.message, location: error.location } : null,
  };
}

const presentStep = ({ title, category, duration, offset, error, steps }: EvidenceStep): Step => ({
  title,
  category,
  duration,
  offset,
  error: error && { ...error },
  steps: steps.map(presentStep),
});
