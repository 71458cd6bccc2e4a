/** §2.4 Describes one attempt of one test. */
import type * as z from 'zod';
import type { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { isSameError } from '#shared/errors/same-error.ts';
import { LEFT_OUT } from '#shared/masking/masking.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Artifact } from '#shared/model/tests/artifact.ts';
import type { Attempt, AttemptError } from '#shared/model/tests/attempt.ts';
import {
  type AttemptEvidence,
  type Evidence,
  type EvidenceStep,
  flattenSteps,
  NEVER_ENDED,
  type PlacedStep,
  type TraceErrorAnalysis,
} from '#shared/model/tests/evidence.ts';
import { linkTo } from '#shared/results/instance-files.ts';
import type { Services } from '#shared/services.ts';
import type { Assets, ErrorInfo, FailureContext, Step, TestContext } from './context-wire.ts';
import type { LoadedTest } from './load-evidence.ts';
import type { LoadingRoom } from './loading-room.ts';
import { environmentOf, gitOf } from './surroundings.ts';

/**
 * Describes the given attempt. If none is given, describes the last attempt with an error, or else the last attempt.
 * Throws 404 for an unknown attempt.
 */
export async function describeTest(
  { artifacts, now }: Services,
  {
    run,
    group,
    instanceId,
    projectId,
    groupId,
    spec,
    test,
    evidence,
    traces,
    files,
  }: LoadedTest & { readonly run: Run; readonly group: Group | undefined; readonly instanceId: string },
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
  const expiredAt = (end = Number.POSITIVE_INFINITY) => (end * 1000 <= now() ? formatIsoTime(end * 1000) : undefined);
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
      signature: deriveSignature({ organizationId: run.organizationId, projectId, spec, title: test.title }),
      attempt: index,
      evidenceExpiredAt: expiredAt(run.expiry.evidence),
      filesExpiredAt: expiredAt(run.expiry.files),
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

function attemptOf(attempts: readonly Attempt[], asked: number | undefined): Attempt {
  if (asked === undefined) return attempts.findLast(({ errors }) => errors.length > 0) ?? attempts.at(-1) ?? NO_ATTEMPT;
  const found = attempts.find(({ attempt }) => attempt === asked);
  const all = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
  if (!found) throw notFound(`Attempt ${asked} of this test (which has ${all}, counted from 0)`);
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

const presentStep = ({ title, category, duration, error, steps }: EvidenceStep): Step => ({
  title,
  category,
  duration,
  error: error && { ...error },
  steps: steps.map(presentStep),
});

// §2.4 Builds `assets` and `errorContext` of one attempt, which are links to its files.

/** The name of a Playwright attachment that describes the web page at the time of the error, as Markdown. */
const ERROR_CONTEXT = 'error-context';

async function linkAttempt(
  store: Artifacts,
  files: readonly Artifact[],
  attempt: number,
): Promise<Pick<TestContext, 'errorContext'> & { readonly assets: Assets }> {
  const own = files.filter((file) => (file.attempt ?? 0) === attempt);
  const linked = await mapConcurrently(own, async (file) => ({ file, url: await store.readUrl(linkTo(file)) }));
  const isErrorContext = ({ file }: (typeof linked)[number]) =>
    file.type === 'attachment' && file.name === ERROR_CONTEXT;
  const of = (type: Artifact['type']) => linked.filter((one) => one.file.type === type && !isErrorContext(one));
  const named = (type: Artifact['type']) => of(type).map(({ file, url }) => ({ name: file.name, url }));
  const lists = {
    traces: named('trace'),
    screenshots: named('screenshot'),
    videos: named('video'),
    attachments: of('attachment').map(({ file, url }) => ({
      name: file.name,
      filename: file.fileName,
      contentType: file.contentType,
      url,
    })),
  };
  const errorContext = linked.find(isErrorContext);
  return {
    assets: {
      ...lists,
      totals: {
        traces: lists.traces.length,
        screenshots: lists.screenshots.length,
        videos: lists.videos.length,
        attachments: lists.attachments.length,
      },
    },
    errorContext: errorContext ? { name: errorContext.file.name, url: errorContext.url } : null,
  };
}

// §2.4 `failureContext`: the failed step and its neighbors. Steps are ordered by their start, and each step precedes
// its nested steps. The failed step is the first step with the message of the shown error. If there is none, it is the
// first step with any error. If no step has an error, as after a timeout, it is the first step that never ended. If a
// step that was found this way contains other such steps, the innermost of them is the failed step instead. If all
// steps ended without an error, there is no failed step. `stepBefore` is the last step that started earlier and does
// not contain the failed step. `stepAfter` is the first step that started later and is not nested in the failed step.

type IndexedStep = PlacedStep<Step>;

function failureContextOf(steps: readonly Step[], error: ErrorInfo | null): FailureContext | null {
  const indexed = flattenSteps(steps);
  const failed = findFailed(indexed, error);
  if (!failed) return null;
  const { index, end } = failed;
  return {
    failedStepIndex: index,
    stepBefore: withoutNested(indexed.slice(0, index).findLast((earlier) => earlier.end <= index)),
    failedStep: failed.step,
    stepAfter: withoutNested(indexed[end]),
  };
}

function findFailed(indexed: readonly IndexedStep[], error: ErrorInfo | null): IndexedStep | undefined {
  const failed = indexed.filter(({ step }) => step.error !== null);
  const same = failed.find(({ step }) => step.error?.message === error?.message);
  const first = same ?? failed[0];
  if (first) return innermost(failed, first, ({ step }) => !same || step.error?.message === error?.message);
  const open = indexed.filter(({ step }) => step.duration === NEVER_ENDED);
  return open[0] && innermost(open, open[0], () => true);
}

/**
 * The innermost candidate nested in `outer`. Follows the first candidate at each level of nesting. Returns `outer` if
 * no candidate is nested in it.
 */
function innermost(
  candidates: readonly IndexedStep[],
  outer: IndexedStep,
  counts: (indexed: IndexedStep) => boolean,
): IndexedStep {
  const inner = candidates.find(
    (indexed) => indexed.index > outer.index && indexed.end <= outer.end && counts(indexed),
  );
  return inner ? innermost(candidates, inner, counts) : outer;
}

/** The step before or after the failed step, without its nested steps. */
const withoutNested = (indexed: IndexedStep | undefined): Step | null =>
  indexed ? { ...indexed.step, steps: [] } : null;
