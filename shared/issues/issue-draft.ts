/**
 * §5.2 The draft of an issue. It is stored before the tracker is asked for an issue, so that of several requests about a
 * failure only one creates it, and the next request finds the issue of one that was interrupted.
 */

import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';
import { refuse } from '#shared/engine/errors.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { type Condition, expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, removeWhen } from '#shared/engine/table/writes.ts';
import { checkInUse, findProjectInUse } from '#shared/find-project.ts';
import { type IssueDraft, issueDrafts } from '#shared/model/issues/known-issue.ts';
import { issueInProgress } from './errors.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { TrackerServices } from './open-integration.ts';
import { reserveRoomForIssue } from './too-many.ts';

export type FailureKey = Pick<IssueDraft, 'organizationId' | 'projectId' | 'signature' | 'fingerprint'>;

/** Where the issue is created. */
type IssuePlace = Pick<IssueDraft, 'integrationId' | 'trackerProjectId'>;

/**
 * Stores a draft, or continues one whose lock has expired: it belongs to a request that was killed or got no response, so
 * its issue may exist. Throws 409 while another request holds the draft.
 */
export async function holdDraft(
  services: TrackerServices,
  { organizationId, projectId, signature, fingerprint }: FailureKey,
  { integrationId, trackerProjectId }: IssuePlace,
): Promise<{ readonly draft: IssueDraft; readonly isContinued: boolean }> {
  const { table, now, randomId } = services;
  const createdAt = now();
  const draft: IssueDraft = {
    organizationId,
    projectId,
    signature,
    fingerprint,
    integrationId,
    trackerProjectId,
    marker: randomId(ISSUE_LIMITS.markerCharacters),
    createdAt,
    leasedUntil: createdAt + ISSUE_LIMITS.draftMilliseconds,
    expiresAt: Math.ceil((createdAt + ISSUE_LIMITS.draftDays * DAY_MILLISECONDS) / 1000),
  };
  const earlierDraft = await retryOptimistically('draft of an issue', async () => {
    const storedDraft = await table.get(issueDrafts, draft, { consistent: true });
    if (storedDraft) return storedDraft;
    await findProjectInUse(services, draft);
    const room = await reserveRoomForIssue(services, draft);
    const isStored = await table.transact([put(issueDrafts, draft, ABSENT), room, checkInUse(draft)]);
    return isStored ? undefined : AGAIN;
  });
  if (!earlierDraft) return { draft, isContinued: false };
  if (earlierDraft.leasedUntil > createdAt) throw issueInProgress();
  const continuedDraft = { ...earlierDraft, leasedUntil: draft.leasedUntil };
  const result = await table.put(issueDrafts, continuedDraft, expectSameValues(earlierDraft, 'leasedUntil'));
  if (!result.done) throw issueInProgress();
  return { draft: continuedDraft, isContinued: true };
}

export const whileHeld = (draft: IssueDraft): Condition => expectSameValues(draft, 'marker', 'leasedUntil');

/** Keeps the draft, because the next request must look for its issue. */
export const unlockDraft = async ({ table, now }: TrackerServices, draft: IssueDraft): Promise<void> => {
  await table.update(issueDrafts, draft, { set: [['leasedUntil', now()]] }, whileHeld(draft));
};

export const dropDraft = async ({ table }: TrackerServices, draft: IssueDraft): Promise<void> => {
  await table.transact([removeWhen(issueDrafts, draft, whileHeld(draft))]);
};

/** Stores where the issue is now created, so that the next request looks for it there. */
export async function moveDraft(
  { table, now }: TrackerServices,
  draft: IssueDraft,
  { integrationId, trackerProjectId }: IssuePlace,
): Promise<IssueDraft> {
  if (draft.integrationId === integrationId && draft.trackerProjectId === trackerProjectId) return draft;
  const movedDraft = { ...draft, integrationId, trackerProjectId, createdAt: now() };
  const { done } = await table.put(issueDrafts, movedDraft, whileHeld(draft));
  return done ? movedDraft : refuse(issueInProgress());
}
