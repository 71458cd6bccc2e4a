/**
 * §5.2 Creates an issue for a failure. A failure has at most one open issue, even if requests are sent at the same time
 * or repeated, the function is killed, or the tracker's response is lost.
 */
import { type Actor, formatActorName } from '#shared/access/actor.ts';
import { invalidRequest, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { type Condition, expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT, put, removeWhen } from '#shared/engine/table/writes.ts';
import { checkInUse, findProjectInUse } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { integrations, type TrackerKind } from '#shared/model/organizations/integration.ts';
import {
  deriveIssueId,
  getTestIssuesSpan,
  type IssueDraft,
  issueDrafts,
  type KnownIssue,
  knownIssues,
} from '#shared/model/tests/known-issue.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import { issueInProgress } from './errors.ts';
import { type FoundFailure, findFailure } from './find-failure.ts';
import { findIntegration } from './find-integration.ts';
import { issueTextOf, issueTitleOf } from './issue-text.ts';
import type { NewIssue } from './issue-wire.ts';
import { ISSUE_LIMITS } from './limits.ts';
import { lookWrites } from './next-look.ts';
import { asking, didNothing, type TrackerServices, trackerOf } from './open-integration.ts';
import { stateChanges } from './stored-state.ts';
import { roomForIssue } from './too-many.ts';
import type { Tracker, TrackerIssue } from './trackers/tracker.ts';

interface Creation extends ProjectKey {
  readonly actor: Actor;
  /** The kind that the connection must have. Default: any. */
  readonly kind?: TrackerKind | undefined;
  readonly input: NewIssue;
}

const DAY_MILLISECONDS = 86_400_000;

/** Creates an issue about a failed test. If the failure already has an open issue, returns that issue instead. */
export async function createIssue(
  services: TrackerServices,
  request: Creation,
): Promise<{ readonly issue: KnownIssue }> {
  const { organizationId, projectId, kind, input } = request;
  const { integrationId } = input;
  await authorizeRead(services, request, 'issues:write');
  await findProjectInUse(services, request);
  const integration = await findIntegration(services, { organizationId, projectId, kind, integrationId });
  if (integration.kind === 'jira' && input.issueTypeId === undefined)
    throw invalidRequest('Jira requires an issue type. Send `issueTypeId` with an id from the list of issue types', [
      'issueTypeId',
    ]);
  const failure = await findFailure(services, { ...input, organizationId, projectId });
  const tracker = await trackerOf(services, integration);
  // An open issue is returned even if there is no room for another one.
  const open = await openIssueOf(services, tracker, { ...failure, organizationId, projectId }, integrationId);
  if (open) return { issue: open };
  const { isContinued, ...locked } = await holdDraft(services, request, failure);
  let { draft } = locked;
  // Whether the tracker may have an issue with the marker of the draft.
  let mayExist = isContinued;
  try {
    const existing = await openIssueOf(services, tracker, draft, integrationId);
    if (existing) {
      await dropDraft(services, draft);
      return { issue: existing };
    }
    let issue = mayExist ? await createdEarlier(services, draft, input) : undefined;
    if (!issue) {
      mayExist = false;
      draft = await moveDraft(services, draft, input);
      const entered = makeVisibleLine(input.issueTitle ?? '');
      issue = await tracker.create({
        projectId: draft.trackerProjectId,
        marker: draft.marker,
        typeId: input.issueTypeId,
        title: entered === '' ? issueTitleOf(failure) : takeFirstCharacters(entered, ISSUE_LIMITS.titleCharacters),
        text: issueTextOf(failure),
        customFields: input.customFields,
      });
      mayExist = true;
    }
    return { issue: await store(services, request, { draft, failure, issue }) };
  } catch (error) {
    if (didNothing(error)) await (mayExist ? unlockDraft(services, draft) : dropDraft(services, draft));
    return asking(Promise.reject(error));
  }
}

/**
 * Locks the failure against other requests. A draft whose lock has expired belongs to a request that was killed, or
 * that got no response from the tracker. Its issue may exist.
 */
async function holdDraft(
  services: TrackerServices,
  { organizationId, projectId, input }: Creation,
  { signature, fingerprint }: FoundFailure,
): Promise<{ readonly draft: IssueDraft; readonly isContinued: boolean }> {
  const { table, now, randomId } = services;
  const at = now();
  const draft: IssueDraft = {
    organizationId,
    projectId,
    signature,
    fingerprint,
    integrationId: input.integrationId,
    trackerProjectId: input.trackerProjectId,
    marker: randomId(ISSUE_LIMITS.markerCharacters),
    createdAt: at,
    leasedUntil: at + ISSUE_LIMITS.draftMilliseconds,
    expiresAt: Math.ceil((at + ISSUE_LIMITS.draftDays * DAY_MILLISECONDS) / 1000),
  };
  let earlier: IssueDraft | undefined;
  await retryOptimistically('draft of an issue', async () => {
    earlier = await table.get(issueDrafts, draft, { consistent: true });
    if (earlier) return true;
    await findProjectInUse(services, draft);
    return table.transact([put(issueDrafts, draft, ABSENT), await roomForIssue(services, draft), checkInUse(draft)]);
  });
  if (!earlier) return { draft, isContinued: false };
  if (earlier.leasedUntil > at) throw issueInProgress();
  const continued = { ...earlier, leasedUntil: draft.leasedUntil };
  const taken = await table.put(issueDrafts, continued, expectSameValues(earlier, 'leasedUntil'));
  if (!taken.done) throw issueInProgress();
  return { draft: continued, isContinued: true };
}

const held = (draft: IssueDraft): Condition => expectSameValues(draft, 'marker', 'leasedUntil');

/** Keeps the draft, because the next request must look for its issue. */
const unlockDraft = async ({ table, now }: TrackerServices, draft: IssueDraft): Promise<void> => {
  await table.update(issueDrafts, draft, { set: [['leasedUntil', now()]] }, held(draft));
};

const dropDraft = async ({ table }: TrackerServices, draft: IssueDraft): Promise<void> => {
  await table.transact([removeWhen(issueDrafts, draft, held(draft))]);
};

/**
 * Returns the open issue of this failure. If its stored state is not recent, reads the state from the tracker, because
 * people close issues there. If the issue belongs to a connection other than the one in the request, its stored state
 * counts.
 */
async function openIssueOf(
  { table, now }: TrackerServices,
  tracker: Tracker,
  of: Pick<IssueDraft, 'organizationId' | 'projectId' | 'signature' | 'fingerprint'>,
  integrationId: string,
): Promise<KnownIssue | undefined> {
  const all = await table.queryAll(knownIssues, getTestIssuesSpan(of), { consistent: true });
  const known = all.find(({ fingerprint, state }) => fingerprint === of.fingerprint && state !== 'done');
  if (!known || known.integrationId !== integrationId) return known;
  if (now() - known.checkedAt < ISSUE_LIMITS.freshMilliseconds) return known;
  const changes = stateChanges(known, await tracker.get(known.key), now());
  const updated = await table.update(knownIssues, known, changes, PRESENT);
  return updated.done && updated.item.state !== 'done' ? updated.item : undefined;
}

/**
 * Finds an issue that an earlier request created but did not store. The earlier request may have named another tracker
 * or another project. If that tracker or project refuses the search, the issue counts as not found, so that people can
 * still create an issue elsewhere.
 */
async function createdEarlier(
  services: TrackerServices,
  { organizationId, integrationId, trackerProjectId: projectId, marker, createdAt: since }: IssueDraft,
  wanted: NewIssue,
): Promise<TrackerIssue | undefined> {
  // An eventually consistent read may miss a new connection, and the issue would be created a second time.
  const integration = await services.table.get(integrations, { organizationId, integrationId }, { consistent: true });
  if (!integration) return undefined;
  const isElsewhere = wanted.integrationId !== integrationId || wanted.trackerProjectId !== projectId;
  try {
    return await (await trackerOf(services, integration)).findCreated({ projectId, marker, since });
  } catch (error) {
    if (isElsewhere && didNothing(error)) return undefined;
    throw error;
  }
}

/** Stores where the issue is now created, so that the next request looks for it there. */
async function moveDraft(
  { table, now }: TrackerServices,
  draft: IssueDraft,
  { integrationId, trackerProjectId }: NewIssue,
): Promise<IssueDraft> {
  if (draft.integrationId === integrationId && draft.trackerProjectId === trackerProjectId) return draft;
  const moved = { ...draft, integrationId, trackerProjectId, createdAt: now() };
  const { done } = await table.put(issueDrafts, moved, held(draft));
  return done ? moved : refuse(issueInProgress());
}

function store(
  services: TrackerServices,
  { organizationId, actor }: Creation,
  {
    draft,
    failure,
    issue,
  }: { readonly draft: IssueDraft; readonly failure: FoundFailure; readonly issue: TrackerIssue },
): Promise<KnownIssue> {
  const { signature, spec, testTitle, fingerprint } = failure;
  const now = services.now();
  return changeOrganization(services, { organizationId, actor, action: 'issues:write' }, async () => {
    const { projectId, integrationId } = draft;
    const { kind } = await findIntegration(services, { organizationId, integrationId });
    const known: KnownIssue = {
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
      result: known,
      writes: [put(knownIssues, known), removeWhen(issueDrafts, draft, held(draft)), ...lookWrites(known, now)],
      record: { action: 'issue created', subject: projectId, label: issue.key, detail: spec },
    };
  });
}
