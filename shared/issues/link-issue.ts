/** §5.2 Links an existing issue to a test, and removes such a link. */
import { type Actor, formatActorName } from '#shared/access/actor.ts';
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { makeVisible } from '#shared/engine/plain-text.ts';
import { PRESENT, put, removeWhen } from '#shared/engine/table/writes.ts';
import { deriveIssueId, type KnownIssue, knownIssues } from '#shared/model/issues/known-issue.ts';
import type { TrackerKind } from '#shared/model/issues/tracker-kind.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { type FoundFailure, findFailure } from './find-failure.ts';
import { findIntegration } from './find-integration.ts';
import { buildFailureLinks, buildIssueText } from './issue-text.ts';
import type { LinkedIssue } from './issue-wire.ts';
import { planLookWrites } from './next-look.ts';
import { openIntegration, type TrackerServices, translateTrackerProblem } from './open-integration.ts';
import type { TextBlock } from './text/blocks.ts';
import { reserveRoomForIssue } from './too-many.ts';

interface LinkRequest extends ProjectKey {
  readonly actor: Actor;
}

/**
 * If the comment fails, the link stays, and the error names the comment as the step that failed. Linking an issue again
 * writes another comment only if the request contains one.
 */
export async function linkIssue(
  services: TrackerServices,
  { input, ...request }: LinkRequest & { readonly kind?: TrackerKind | undefined; readonly input: LinkedIssue },
): Promise<{ readonly issue: KnownIssue }> {
  const { organizationId, projectId, actor, kind } = request;
  await authorizeRead(services, request, 'issues:write');
  if (!input.includeContextInComment && input.comment === undefined)
    throw invalidRequest('`includeContextInComment: false` requires a `comment`. Send one', ['comment']);
  const { integrationId } = input;
  const integration = await findIntegration(services, { organizationId, projectId, kind, integrationId });
  const failure = await findFailure(services, { ...input, organizationId, projectId });
  const tracker = await openIntegration(services, integration);
  const trackerIssue = (await translateTrackerProblem(tracker.get(input.issueKey))) ?? refuse(notFound('Issue'));
  const { signature, spec, testTitle, fingerprint } = failure;
  const key = {
    organizationId,
    projectId,
    issueId: deriveIssueId({ signature, integrationId, key: trackerIssue.key }),
  };
  const storedIssue = await services.table.get(knownIssues, key, { consistent: true });
  const now = services.now();
  const isDone = trackerIssue.state === 'done';
  const wasDone = storedIssue?.state === 'done';
  // Linking again keeps what automation stored about the issue, unless it was closed or reopened in the meantime.
  const keptFacts = isDone === wasDone ? storedIssue : undefined;
  const issue: KnownIssue = {
    ...keptFacts,
    ...key,
    signature,
    integrationId,
    kind: integration.kind,
    ...trackerIssue,
    doneAt: isDone ? (storedIssue?.doneAt ?? now) : undefined,
    fingerprint: fingerprint ?? keptFacts?.fingerprint,
    spec,
    testTitle,
    created: storedIssue?.created ?? false,
    createdAt: storedIssue?.createdAt ?? now,
    createdBy: storedIssue?.createdBy ?? formatActorName(actor),
    checkedAt: now,
    seenAt: Math.max(storedIssue?.seenAt ?? 0, failure.run.createdAt),
  };
  const writes = [put(knownIssues, issue), ...planLookWrites(issue, now)];
  await changeOrganization(services, { organizationId, actor, action: 'issues:write' }, async () => ({
    result: undefined,
    writes: storedIssue ? writes : [...writes, await reserveRoomForIssue(services, issue)],
    inProject: key,
    record: { action: 'issue linked', subject: projectId, label: trackerIssue.key, detail: spec },
  }));
  const isNew = storedIssue === undefined;
  if (isNew || input.comment !== undefined)
    await translateTrackerProblem(tracker.comment(trackerIssue.key, buildComment(failure, input, isNew)));
  return { issue };
}

function buildComment(
  failure: FoundFailure,
  { comment, includeContextInComment }: LinkedIssue,
  isNew: boolean,
): TextBlock[] {
  const blocks: TextBlock[] = [];
  if (comment !== undefined) blocks.push({ kind: 'paragraph', spans: [{ kind: 'text', text: makeVisible(comment) }] });
  if (includeContextInComment && isNew) blocks.push(...buildIssueText(failure));
  else blocks.push({ kind: 'paragraph', spans: buildFailureLinks(failure) });
  return blocks;
}

/** Removes the link. The issue itself stays in the tracker. */
export function unlinkIssue(
  services: CoreServices,
  { issueId, ...request }: LinkRequest & { readonly issueId: string },
): Promise<void> {
  const { organizationId, projectId } = request;
  return changeOrganization(services, { ...request, action: 'issues:write' }, async () => {
    const issue =
      (await services.table.get(knownIssues, { organizationId, projectId, issueId }, { consistent: true })) ??
      refuse(notFound('Issue'));
    return {
      result: undefined,
      writes: [removeWhen(knownIssues, issue, PRESENT)],
      record: { action: 'issue unlinked', subject: projectId, label: issue.key, detail: issue.spec },
    };
  });
}
