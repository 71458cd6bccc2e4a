/** Writes a comment on a pull request. For a newer run of the same groups, edits the comment about the earlier run. */
import { createHmac } from 'node:crypto';
import { composeKey } from '#shared/engine/table/keys.ts';
import { type ApiCall, hasNextPage, NOT_FOUND } from '#shared/hosts/api-client.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import { listKnownShas } from '#shared/model/runs/commit.ts';
import { hashGroups } from '#shared/model/runs/complete-run.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, type Run } from '#shared/model/runs/run.ts';
import { DeliveryProblem } from '#shared/notifications/delivery-problem.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { readRunFacts } from '#shared/notifications/run-facts.ts';
import { takeTurn } from '#shared/notifications/take-turn.ts';
import { readMergedBuild } from '#shared/results/builds/tries-of-build.ts';
import type { Services } from '#shared/services.ts';
import { buildCommentBody } from './comment-body.ts';
import { Comment, Comments } from './comment-wire.ts';
import type { HostApi } from './host-api.ts';

interface CommentReport {
  readonly notification: HostNotification;
  readonly run: Run;
  /** The number of the pull request. */
  readonly pull: string;
}

export async function writeComment(
  services: Services,
  api: HostApi,
  { notification, run: reportedRun, pull }: CommentReport,
): Promise<boolean> {
  const build = await readMergedBuild(services, reportedRun);
  const run = build?.newest ?? reportedRun;
  // A later try may repeat only some groups of its build.
  const group = await computeGroupDigest(services, build?.tries[0] ?? run);
  const marker = deriveMarker(notification, pull, group);
  const turn = { receiver: notification, target: composeKey('comment', pull, group), run, isAboutRun: true };
  const read = async () => {
    const facts = await readRunFacts(services, run, NOTIFICATION_LIMITS.commentTests);
    return { runId: run.runId, text: buildCommentBody({ marker, ...facts }) };
  };
  return takeTurn(services, turn, read, async ({ commentId }, { text }) => {
    await refuseOtherCommit(api, run, pull);
    const existingId = commentId ?? (await findComment(api, { pull, marker }));
    const isUpdated = existingId !== undefined && (await updateComment(api, { pull, id: existingId, body: text }));
    return { commentId: isUpdated ? existingId : await addComment(api, pull, text) };
  });
}

/**
 * The client that records a run may name the wrong pull request or an issue. Therefore, the run must have tested the
 * head of the pull request or its merge commit.
 */
async function refuseOtherCommit(api: HostApi, { commit }: Run, pull: string): Promise<void> {
  const { host, texts } = api;
  const answer = await askAbout(api, pull, { path: host.pullPath(pull), subject: texts.change });
  const pullCommits = api.parse(host.pullCommits, answer, texts.change);
  if (!listKnownShas(commit).some((sha) => pullCommits.includes(sha.toLowerCase())))
    throw new DeliveryProblem(
      { kind: 'pointless' },
      `The head of ${texts.change} ${pull} is not the commit that the run tested`,
    );
}

/** Runs with the same groups share a comment, because they are compared with the same earlier run. */
async function computeGroupDigest({ table }: Services, run: Run): Promise<string> {
  if (run.listed) return run.listed.groups;
  const members = run.groups ?? (await table.queryAll(groups, getRunMembersSpan(run, 'GROUP'), { consistent: true }));
  return hashGroups(members.map(({ groupId }) => groupId));
}

/** Derived from a random key, so that nobody can write a comment with this marker before Rundown does. */
function deriveMarker({ markerKey }: HostNotification, pull: string, group: string): string {
  const digest = createHmac('sha256', markerKey)
    .update(JSON.stringify([pull, group]))
    .digest('hex');
  return `<!-- rundown ${digest.slice(0, NOTIFICATION_LIMITS.markerCharacters)} -->`;
}

/** The id of an earlier comment was not stored if the response was lost or the function was killed. */
async function findComment(
  api: HostApi,
  { pull, marker }: { readonly pull: string; readonly marker: string },
): Promise<number | undefined> {
  for (let page = 1; page <= NOTIFICATION_LIMITS.commentPages; page += 1) {
    const path = `${api.host.commentsPath(pull)}?per_page=${NOTIFICATION_LIMITS.commentsPerPage}&page=${page}`;
    const answer = await askAbout(api, pull, { path, subject: 'comments' });
    const comment = api.parse(Comments, answer, 'comments').find(({ body }) => body?.startsWith(marker));
    if (comment || !hasNextPage(answer.headers)) return comment?.id;
  }
  return undefined;
}

/** Returns false if somebody has deleted the comment. */
async function updateComment(
  api: HostApi,
  { pull, id, body }: { readonly pull: string; readonly id: number; readonly body: string },
): Promise<boolean> {
  const { editMethod: method, commentPath } = api.host;
  const call = { method, path: commentPath(pull, id), body: { body }, subject: 'comment', except: [NOT_FOUND] };
  return (await api.ask(call)).statusCode !== NOT_FOUND;
}

async function addComment(api: HostApi, pull: string, body: string): Promise<number> {
  const path = api.host.commentsPath(pull);
  const call = { method: 'POST', path, body: { body }, subject: 'comment', once: true } as const;
  return api.parse(Comment, await askAbout(api, pull, call), call.subject).id;
}

/** A missing pull request affects only one run. If the repository is missing, all deliveries fail. */
async function askAbout(api: HostApi, pull: string, call: ApiCall) {
  const answer = await api.ask({ ...call, except: [NOT_FOUND] });
  if (answer.statusCode !== NOT_FOUND) return answer;
  await api.requireRepository();
  const { place, change } = api.texts;
  throw new DeliveryProblem({ kind: 'pointless' }, `The ${place} has no ${change} ${pull}`, NOT_FOUND);
}
