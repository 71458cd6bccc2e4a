/** Writes a comment on a pull request. For a newer run of the same groups, edits the comment about the earlier run. */
import { createHmac } from 'node:crypto';
import { composed } from '#shared/engine/table/keys.ts';
import { findProject } from '#shared/find-project.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import { knownShas } from '#shared/model/runs/commit.ts';
import { groupsDigest } from '#shared/model/runs/complete-run.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runMembersSpan } from '#shared/model/runs/run.ts';
import { comparedRun } from '#shared/notifications/compared.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { countersOf, runText } from '#shared/notifications/run-text.ts';
import { takeTurn } from '#shared/notifications/take-turn.ts';
import type { Services } from '#shared/services.ts';
import { commentBody } from './comment-body.ts';
import { Comment, Comments } from './comment-wire.ts';
import { type HostApi, MISSING } from './host-api.ts';

interface Commenting {
  readonly notification: HostNotification;
  readonly run: Run;
  /** The number of the pull request. */
  readonly pull: string;
}

export async function writeComment(
  services: Services,
  api: HostApi,
  { notification, run, pull }: Commenting,
): Promise<boolean> {
  const group = await groupOf(services, run);
  const marker = markerOf(notification, pull, group);
  const text = await bodyOf(services, run, marker);
  const turn = { receiver: notification, target: composed('comment', pull, group), run, text };
  return takeTurn(services, turn, async ({ commentId }) => {
    await refuseOtherCommit(api, run, pull);
    const known = commentId ?? (await findComment(api, { pull, marker }));
    const edited = known !== undefined && (await editComment(api, { pull, id: known, body: text }));
    return { commentId: edited ? known : await addComment(api, pull, text) };
  });
}

/**
 * Refuses a pull request whose commit is not that of the run. The client that records a run names its pull request, and
 * may name the wrong pull request or an issue. Therefore, the run must have tested the head of the pull request or its
 * merge commit.
 */
async function refuseOtherCommit(api: HostApi, { commit }: Run, pull: string): Promise<void> {
  const { host, texts } = api;
  const call = { method: 'GET', path: host.pullPath(pull), does: texts.change, except: [MISSING] } as const;
  const { statusCode, json } = await api.call(call);
  if (statusCode === MISSING) await refuseMissing(api, pull);
  const known = api.formed(host.pullCommits, json);
  if (!knownShas(commit).some((sha) => known.includes(sha.toLowerCase())))
    throw new Ended({ kind: 'pointless' }, `The head of ${texts.change} ${pull} is not the commit that the run tested`);
}

/**
 * Returns a digest of the group ids of the run. Runs with the same groups share a comment, because they are also
 * compared with the same earlier run.
 */
async function groupOf({ table }: Services, run: Run): Promise<string> {
  if (run.listed) return run.listed.groups;
  const members = run.groups ?? (await table.queryAll(groups, runMembersSpan(run, 'GROUP'), { consistent: true }));
  return groupsDigest(members.map(({ groupId }) => groupId));
}

/**
 * The hidden marker of a comment. It is derived from a random key, so that nobody can write a comment with this marker
 * before Rundown does.
 */
const markerOf = ({ markerKey }: HostNotification, ...of: readonly string[]): string =>
  `<!-- rundown ${createHmac('sha256', markerKey).update(JSON.stringify(of)).digest('hex').slice(0, NOTIFICATION_LIMITS.markerCharacters)} -->`;

async function bodyOf(services: Services, run: Run, marker: string): Promise<string> {
  const [project, comparison, counters] = await Promise.all([
    findProject(services, run),
    comparedRun(services, run, NOTIFICATION_LIMITS.commentTests),
    countersOf(services, run),
  ]);
  const facts = { origin: services.origin, marker, projectName: project.name, run };
  return commentBody({ ...facts, result: runText(run, counters), comparison });
}

/**
 * Looks for an earlier comment whose id was not stored, because the response was lost or the function was killed. Such
 * a comment begins with the marker.
 */
async function findComment(
  api: HostApi,
  { pull, marker }: { readonly pull: string; readonly marker: string },
): Promise<number | undefined> {
  for (let page = 1; page <= NOTIFICATION_LIMITS.commentPages; page += 1) {
    const path = `${api.host.commentsPath(pull)}?per_page=${NOTIFICATION_LIMITS.commentsPerPage}&page=${page}`;
    const { statusCode, json, hasMore } = await api.call({ method: 'GET', path, does: 'comments', except: [MISSING] });
    if (statusCode === MISSING) await refuseMissing(api, pull);
    const found = api.formed(Comments, json).find(({ body }) => body?.startsWith(marker));
    if (found || !hasMore) return found?.id;
  }
  return undefined;
}

/** Returns false if somebody has deleted the comment. */
async function editComment(
  api: HostApi,
  { pull, id, body }: { readonly pull: string; readonly id: number; readonly body: string },
): Promise<boolean> {
  const { editMethod: method, commentPath } = api.host;
  const call = { method, path: commentPath(pull, id), body: { body }, does: 'comment', except: [MISSING] };
  return (await api.call(call)).statusCode !== MISSING;
}

async function addComment(api: HostApi, pull: string, body: string): Promise<number> {
  const path = api.host.commentsPath(pull);
  const call = { method: 'POST', path, body: { body }, does: 'comment', once: true, except: [MISSING] } as const;
  const { statusCode, json } = await api.call(call);
  if (statusCode === MISSING) await refuseMissing(api, pull);
  return api.formed(Comment, json).id;
}

/**
 * After a 404, throws the error that names the missing object. A missing pull request affects only one run. If the
 * repository is missing, all deliveries of the notification fail.
 */
async function refuseMissing(api: HostApi, pull: string): Promise<never> {
  await api.readRepository();
  const { place, change } = api.texts;
  throw new Ended({ kind: 'pointless' }, `The ${place} has no ${change} ${pull}`, MISSING);
}
