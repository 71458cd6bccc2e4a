/** One comment on a pull request, which each newer run of the same groups edits. */
import { createHmac } from 'node:crypto';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { composed } from '#shared/engine/table/keys.ts';
import type { GithubNotification } from '#shared/model/events/notification.ts';
import { projects } from '#shared/model/organizations/project.ts';
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
import type { Github } from './github.ts';
import { Comment, Comments, formed, GithubPullRequest } from './github-wire.ts';

interface Commenting {
  readonly notification: GithubNotification;
  readonly run: Run;
  /** The number of the pull request. */
  readonly pull: string;
}

export async function writeComment(
  services: Services,
  github: Github,
  { notification, run, pull }: Commenting,
): Promise<boolean> {
  const group = await groupOf(services, run);
  const marker = markerOf(notification, pull, group);
  const text = await bodyOf(services, run, marker);
  const turn = { receiver: notification, target: composed('comment', pull, group), run, text };
  return takeTurn(services, turn, async ({ commentId }) => {
    await refuseOtherCommit(github, run, pull);
    const known = commentId ?? (await findComment(github, { pull, marker }));
    const edited = known !== undefined && (await editComment(github, known, text));
    return { commentId: edited ? known : await addComment(github, pull, text) };
  });
}

/**
 * Refuses a pull request whose commit is not that of the run. Whoever records runs chooses the pull request of a run.
 * Its head must be the commit that the run tested, or the merge commit that CI made of it. So a run comments on no
 * issue, and on no other pull request by mistake.
 */
async function refuseOtherCommit(github: Github, { commit }: Run, pull: string): Promise<void> {
  const call = { method: 'GET', path: `/pulls/${pull}`, does: 'pull request', except: MISSING } as const;
  const { statusCode, json } = await github.call(call);
  if (statusCode === MISSING) await refuseMissing(github, pull);
  const { head, merge_commit_sha: merged } = formed(GithubPullRequest, json);
  const tested = knownShas(commit).map((sha) => sha.toLowerCase());
  if (!tested.includes(head.sha) && (merged == null || !tested.includes(merged)))
    throw new Ended({ kind: 'pointless' }, `The head of pull request ${pull} is not the commit that the run tested`);
}

/**
 * The group part of the comment's target. Runs with the same groups share a comment, as they share the base of their
 * comparison.
 */
async function groupOf({ table }: Services, run: Run): Promise<string> {
  if (run.listed) return run.listed.groups;
  const members = run.groups ?? (await table.queryAll(groups, runMembersSpan(run, 'GROUP'), { consistent: true }));
  return groupsDigest(members.map(({ groupId }) => groupId));
}

/**
 * The hidden marker of a comment. Derived from a random key, so that nobody can write a comment with this marker before
 * Rundown does.
 */
const markerOf = ({ markerKey }: GithubNotification, ...of: readonly string[]): string =>
  `<!-- rundown ${createHmac('sha256', markerKey).update(JSON.stringify(of)).digest('hex').slice(0, NOTIFICATION_LIMITS.markerCharacters)} -->`;

async function bodyOf(services: Services, run: Run, marker: string): Promise<string> {
  const { table, origin } = services;
  const [project, comparison, counters] = await Promise.all([
    table.get(projects, run),
    comparedRun(services, run, NOTIFICATION_LIMITS.commentTests),
    countersOf(services, run),
  ]);
  const { name: projectName } = project ?? refuse(notFound('Project'));
  return commentBody({ origin, marker, projectName, run, result: runText(run, counters), comparison });
}

/** Looks for a comment whose id was lost because the service died after writing it. It begins with the marker. */
async function findComment(
  github: Github,
  { pull, marker }: { readonly pull: string; readonly marker: string },
): Promise<number | undefined> {
  for (let page = 1; page <= NOTIFICATION_LIMITS.commentPages; page += 1) {
    const path = `/issues/${pull}/comments?per_page=${NOTIFICATION_LIMITS.commentsPerPage}&page=${page}`;
    const { statusCode, json, hasMore } = await github.call({ method: 'GET', path, does: 'comments', except: MISSING });
    if (statusCode === MISSING) await refuseMissing(github, pull);
    const found = formed(Comments, json).find(({ body }) => body?.startsWith(marker));
    if (found || !hasMore) return found?.id;
  }
  return undefined;
}

const MISSING = 404;

/** Edits the comment. Returns false if somebody deleted the comment. */
async function editComment(github: Github, id: number, body: string): Promise<boolean> {
  const path = `/issues/comments/${id}`;
  const { statusCode } = await github.call({ method: 'PATCH', path, body: { body }, does: 'comment', except: MISSING });
  return statusCode !== MISSING;
}

async function addComment(github: Github, pull: string, body: string): Promise<number> {
  const path = `/issues/${pull}/comments`;
  const call = { method: 'POST', path, body: { body }, does: 'comment', once: true, except: MISSING } as const;
  const { statusCode, json } = await github.call(call);
  if (statusCode === MISSING) await refuseMissing(github, pull);
  return formed(Comment, json).id;
}

/** A missing pull request is the mistake of one run. A missing repository is the mistake of the notification. */
async function refuseMissing(github: Github, pull: string): Promise<never> {
  await github.call({ method: 'GET', path: '', does: 'repository' });
  throw new Ended({ kind: 'pointless' }, `The repository has no pull request ${pull}`, MISSING);
}
