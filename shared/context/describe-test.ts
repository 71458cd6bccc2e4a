/** §2.4 Describes one attempt of one test. */
import type * as z from 'zod';
import type { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { isSameError } from '#shared/errors/same-error.ts';
import { LEFT_OUT } from '#shared/masking/mask-object.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import type { Attempt, AttemptError } from '#shared/model/results/attempt.ts';
import {
  type AttemptEvidence,
  type Evidence,
  type EvidenceStep,
  flattenSteps,
  NEVER_ENDED,
  type PlacedStep,
  type TraceErrorAnalysis,
} from '#shared/model/results/evidence.ts';
import { isOfReporter } from '#shared/model/rules/rule-marks.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { linkTo } from '#shared/results/instances/instance-files.ts';
import type { Services } from '#shared/services.ts';
import type { Assets, ErrorInfo, FailureContext, Step, TestContext } from './context-wire.ts';
import type { LoadedTest } from './load-evidence.ts';
import type { LoadingRoom } from './loading-room.ts';
import { describeEnvironment, describeGit } from './surroundings.ts';

/** Default attempt: the last one with an error, or else the last. Throws 404 for an unknown attempt. */
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
  const chosenAttempt = pickAttempt(test.attempts, attempt);
  const index = chosenAttempt.attempt;
  const [error = null, ...furtherErrors] = chosenAttempt.errors;
  const otherAttempts = test.attempts
    .filter((other) => other !== chosenAttempt)
    .map((other) => presentOtherAttempt(other, error));
  const unpackedEvidence = unpackEvidence(evidence, test.attempts.indexOf(chosenAttempt), room);
  const shownEvidence = room.takes({ error, furtherErrors, otherAttempts, evidence: unpackedEvidence })
    ? unpackedEvidence
    : LEFT_OUT_EVIDENCE;
  const steps = shownEvidence.steps.map(presentStep);
  const { assets, errorContext } = await linkAttempt(artifacts, files, index);
  const trace = traces.find(({ attempt: tracedAttempt }) => tracedAttempt === index);
  const formatIfExpired = (end = Number.POSITIVE_INFINITY) =>
    end * 1000 <= now() ? formatIsoTime(end * 1000) : undefined;
  const analysis = trace && room.unpack<TraceErrorAnalysis>(trace.packed);
  return {
    spec,
    test: {
      title: [...test.title],
      status: test.outcome,
      attempt: index,
      totalAttempts: test.attempts.length,
      duration: chosenAttempt.duration,
    },
    error,
    ...(furtherErrors.length > 0 && {
      furtherErrors: furtherErrors.map(({ message, location, snippet }) => ({ message, location, snippet })),
    }),
    ...describeLabels(test, { run, group }),
    otherAttempts,
    errorContext,
    traceErrorAnalysis: analysis
      ? { consoleEntries: [...analysis.consoleEntries], networkRequests: [...analysis.networkRequests] }
      : null,
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
      attempt: index,
      evidenceExpiredAt: formatIfExpired(run.expiry.evidence),
      filesExpiredAt: formatIfExpired(run.expiry.files),
    },
    environment: describeEnvironment(run, group, groupId),
    git: describeGit(run),
  };
}

/** What people wrote on the test. Annotations of our reporters say which rules matched, and are shown elsewhere. */
function describeLabels(
  { annotations, tags }: LoadedTest['test'],
  { run, group }: { readonly run: Run; readonly group: Group | undefined },
): Pick<TestContext, 'annotations' | 'tags'> {
  const ownAnnotations = annotations.filter((one) => !isOfReporter(one));
  const ownTags = tags.filter((tag) => !run.tags.includes(tag) && group?.tags.includes(tag) !== true);
  return {
    ...(ownAnnotations.length > 0 && { annotations: ownAnnotations.map((one) => ({ ...one })) }),
    ...(ownTags.length > 0 && { tags: ownTags }),
  };
}

const NO_EVIDENCE: AttemptEvidence = { steps: [], stdout: [], stderr: [] };
const LEFT_OUT_EVIDENCE: AttemptEvidence = { ...NO_EVIDENCE, stdout: [LEFT_OUT] };

function unpackEvidence(packedEvidence: Uint8Array | undefined, place: number, room: LoadingRoom): AttemptEvidence {
  if (!packedEvidence) return NO_EVIDENCE;
  const evidence = room.unpack<Evidence>(packedEvidence);
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
  ...(offset !== undefined && { offset }),
  error: error && { ...error },
  steps: steps.map(presentStep),
});

/** The name of a Playwright attachment that describes the web page at the time of the error, as Markdown. */
const ERROR_CONTEXT = 'error-context';

async function linkAttempt(
  store: Artifacts,
  files: readonly Artifact[],
  attempt: number,
): Promise<Pick<TestContext, 'errorContext'> & { readonly assets: Assets }> {
  const attemptFiles = files.filter((file) => (file.attempt ?? 0) === attempt);
  const fileLinks = await mapConcurrently(attemptFiles, async (file) => ({
    file,
    url: await store.readUrl(linkTo(file)),
  }));
  const isErrorContext = ({ file }: (typeof fileLinks)[number]) =>
    file.type === 'attachment' && file.name === ERROR_CONTEXT;
  const pickLinks = (type: Artifact['type']) =>
    fileLinks.filter((one) => one.file.type === type && !isErrorContext(one));
  const pickNamedLinks = (type: Artifact['type']) => pickLinks(type).map(({ file, url }) => ({ name: file.name, url }));
  const lists = {
    traces: pickNamedLinks('trace'),
    screenshots: pickNamedLinks('screenshot'),
    videos: pickNamedLinks('video'),
    attachments: pickLinks('attachment').map(({ file, url }) => ({
      name: file.name,
      filename: file.fileName,
      contentType: file.contentType,
      url,
    })),
  };
  const errorContext = fileLinks.find(isErrorContext);
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

function buildFailureContext(steps: readonly Step[], error: ErrorInfo | null): FailureContext | null {
  const indexedSteps = flattenSteps(steps);
  const failedStep = findFailedStep(indexedSteps, error);
  if (!failedStep) return null;
  const { index, end } = failedStep;
  return {
    failedStepIndex: index,
    stepBefore: removeNestedSteps(indexedSteps.slice(0, index).findLast((step) => step.end <= index)),
    failedStep: failedStep.step,
    stepAfter: removeNestedSteps(indexedSteps[end]),
  };
}

function findFailedStep(indexedSteps: readonly IndexedStep[], error: ErrorInfo | null): IndexedStep | undefined {
  const failedSteps = indexedSteps.filter(({ step }) => step.error !== null);
  const match = failedSteps.find(({ step }) => step.error?.message === error?.message);
  const first = match ?? failedSteps[0];
  if (first)
    return findInnermostStep(failedSteps, first, ({ step }) => !match || step.error?.message === error?.message);
  const openSteps = indexedSteps.filter(({ step }) => step.duration === NEVER_ENDED);
  return openSteps[0] && findInnermostStep(openSteps, openSteps[0], () => true);
}

/** Follows the first candidate at each level of nesting. Returns `outer` if none is nested in it. */
function findInnermostStep(
  candidates: readonly IndexedStep[],
  outer: IndexedStep,
  counts: (candidate: IndexedStep) => boolean,
): IndexedStep {
  const inner = candidates.find(
    (candidate) => candidate.index > outer.index && candidate.end <= outer.end && counts(candidate),
  );
  return inner ? findInnermostStep(candidates, inner, counts) : outer;
}

const removeNestedSteps = (indexedStep: IndexedStep | undefined): Step | null =>
  indexedStep ? { ...indexedStep.step, steps: [] } : null;
