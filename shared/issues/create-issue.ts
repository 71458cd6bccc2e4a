/**
 * §5.2 Creates an issue for a failure. A failure has at most one open issue, even if requests are sent at the same time
 * or repeated, the function is killed, or the tracker's response is lost.
 */
import { type Actor, formatActorName } from '#shared/access/actor.ts';
import { invalidRequest } from '#shared/engine/errors.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { PRESENT, put, removeWhen } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import {
  deriveIssueId,
  getTestIssuesSpan,
  type IssueDraft,
  issueDrafts,
  type KnownIssue,
  knownIssues,
} from '#shared/model/issues/known-issue.ts';
import { TRACKERS, type TrackerKind } from '#shared/model/issues/tracker-kind.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import { type FoundFailure, findFailure } from './find-failure.ts';
import { findIntegration } from './find-integration.ts';
import { dropDraft, type FailureKey, holdDraft, moveDraft, unlockDraft, whileHeld } from './issue-draft.ts';
import { buildIssueText, formatIssueTitle } from './issue-text.ts';
import type { NewIssue } from './issue-wire.ts';
import { ISSUE_LIMITS } from './limits.ts';
import { planLookWrites } from './next-look.ts';
import {
  hasChangedNothing,
  openIntegration,
  type TrackerServices,
  translateTrackerProblem,
} from './open-integration.ts';
import { planStateChanges } from './stored-state.ts';
import type { Tracker, TrackerIssue } from './trackers/tracker.ts';

interface IssueCreation extends ProjectKey {
  readonly actor: Actor;
  /** The kind that the connection must have. Default: any. */
  readonly kind?: TrackerKind | undefined;
  readonly input: NewIssue;
}

export async function createIssue(
  services: TrackerServices,
  request: IssueCreation,
): Promise<{ readonly issue: KnownIssue }> {
  const { organizationId, projectId, kind, input } = request;
  const { integrationId } = input;
  await authorizeRead(services, request, 'issues:write');
  await findProjectInUse(services, request);
  const integration = await findIntegration(services, { organizationId, projectId, kind, integrationId });
  const { name, needsType } = TRACKERS[integration.kind];
  if (needsType && input.issueTypeId === undefined)
    throw invalidRequest(
      `${name} requires an issue type. Send \`issueTypeId\` with an id from the list of issue types`,
      ['issueTypeId'],
    );
  const failure = await findFailure(services, { ...input, organizationId, projectId });
  const tracker = await openIntegration(services, integration);
  // An open issue is returned even if there is no room for another one.
  const failureKey = { ...failure, organizationId, projectId };
  const openIssue = await findOpenIssue(services, tracker, failureKey, integrationId);
  if (openIssue) return { issue: openIssue };
  const { isContinued, ...heldDraft } = await holdDraft(services, failureKey, input);
  let { draft } = heldDraft;
  // Whether the tracker may have an issue with the marker of the draft.
  let mayExist = isContinued;
  try {
    const concurrentIssue = await findOpenIssue(services, tracker, draft, integrationId);
    if (concurrentIssue) {
      await dropDraft(services, draft);
      return { issue: concurrentIssue };
    }
    let issue = mayExist ? await findEarlierIssue(services, draft, input) : undefined;
    if (!issue) {
      mayExist = false;
      draft = await moveDraft(services, draft, input);
      issue = await tracker.create({
        projectId: draft.trackerProjectId,
        marker: draft.marker,
        typeId: input.issueTypeId,
        title: chooseTitle(input, failure),
        text: buildIssueText(failure),
        customFields: input.customFields,
      });
      mayExist = true;
    }
    return { issue: await storeIssue(services, request, { draft, failure, issue }) };
  } catch (error) {
    if (hasChangedNothing(error)) {
      if (mayExist) await unlockDraft(services, draft);
      else await dropDraft(services, draft);
    }
    return translateTrackerProblem(Promise.reject(error));
  }
}

function chooseTitle({ issueTitle = '' }: NewIssue, failure: FoundFailure): string {
  const enteredTitle = makeVisibleLine(issueTitle);
  if (enteredTitle === '') return formatIssueTitle(failure);
  return takeFirstCharacters(enteredTitle, ISSUE_LIMITS.titleCharacters);
}

/**
 * Reads a stored state that is not recent from the tracker, because people close issues there. If the issue belongs to
 * a connection other than the one in the request, its stored state counts.
 */
async function findOpenIssue(
  { table, now }: TrackerServices,
  tracker: Tracker,
  failure: FailureKey,
  integrationId: string,
): Promise<KnownIssue | undefined> {
  const testIssues = await table.queryAll(knownIssues, getTestIssuesSpan(failure), { consistent: true });
  const issue = testIssues.find(({ fingerprint, state }) => fingerprint === failure.fingerprint && state !== 'done');
  if (!issue || issue.integrationId !== integrationId) return issue;
  if (now() - issue.checkedAt < ISSUE_LIMITS.freshMilliseconds) return issue;
  const changes = planStateChanges(issue, await tracker.get(issue.key), now());
  const result = await table.update(knownIssues, issue, changes, PRESENT);
  return result.done && result.item.state !== 'done' ? result.item : undefined;
}

/**
 * The earlier request may have named another tracker or project. If that one refuses the search, the issue counts as
 * not found, so that people can still create an issue elsewhere.
 */
async function findEarlierIssue(
  services: TrackerServices,
  { organizationId, integrationId, trackerProjectId: projectId, marker, createdAt: since }: IssueDraft,
  input: NewIssue,
): Promise<TrackerIssue | undefined> {
  // An eventually consistent read may miss a new connection, and the issue would be created a second time.
  const integration = await services.table.get(integrations, { organizationId, integrationId }, { consistent: true });
  if (!integration) return undefined;
  const isElsewhere = input.integrationId !== integrationId || input.trackerProjectId !== projectId;
  try {
    const tracker = await openIntegration(services, integration);
    return await tracker.findCreated({ projectId, marker, since });
  } catch (error) {
    if (isElsewhere && hasChangedNothing(error)) return undefined;
    throw error;
  }
}

interface CreatedIssue {
  readonly draft: IssueDraft;
  readonly failure: FoundFailure;
  readonly issue: TrackerIssue;
}

/** Stores the issue in place of its draft. */
function storeIssue(
  services: TrackerServices,
  { organizationId, actor }: IssueCreation,
  { draft, failure, issue }: CreatedIssue,
): Promise<KnownIssue> {
  const { signature, spec, testTitle, fingerprint } = failure;
  const now = services.now();
  return changeOrganization(services, { organizationId, actor, action: 'issues:write' }, async () => {
    const { projectId, integrationId } = draft;
    const { kind } = await findIntegration(services, { organizationId, integrationId });
    const knownIssue: KnownIssue = {
      organizationId,
      projectId,
      signature,
      issueId: deriveIssueId({ signature, integrationId, key: issue.key }),
      integrationId,
      kind,
      ...issue,
      fingerprint,
      spec,
      testTitle,
      created: true,
      createdAt: now,
      createdBy: formatActorName(actor),
      checkedAt: now,
      seenAt: failure.run.createdAt,
    };
    return {
      result: knownIssue,
      writes: [
        put(knownIssues, knownIssue),
        removeWhen(issueDrafts, draft, whileHeld(draft)),
        ...planLookWrites(knownIssue, now),
      ],
      record: { action: 'issue created', subject: projectId, label: issue.key, detail: spec },
    };
  });
}
