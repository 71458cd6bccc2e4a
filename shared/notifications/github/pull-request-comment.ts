/** Writes a comment on a pull request. A newer run of the same groups edits the comment of the earlier run. */
import { createHmac } from 'node:crypto';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';
import { composed } from '#shared/engine/table/keys.ts';
import type { GithubNotification } from '#shared/model/events/notification.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { knownShas, shortSha } from '#shared/model/runs/commit.ts';
import { groupsDigest } from '#shared/model/runs/complete-run.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runMembersSpan } from '#shared/model/runs/run.ts';
import { runUrlOf, testUrlOf } from '#shared/model/runs/run-url.ts';
import { comparedRun, SHOWN } from '#shared/notifications/compared.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { countersOf, runText } from '#shared/notifications/run-text.ts';
import { takeTurn } from '#shared/notifications/take-turn.ts';
import type { ComparedTest, RunComparison, Verdict } from '#shared/results/comparison-wire.ts';
import type { Services } from '#shared/services.ts';
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
 * Refuses a pull request whose commit is not that of the run. The client that records a run names its pull request, and
 * may name the wrong pull request or an issue. Therefore, the run must have tested the head of the pull request or its
 * merge commit.
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
 * The part of the comment's target that identifies the groups of the run. Runs with the same groups share a comment,
 * because they are also compared with each other.
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

/**
 * Looks for an earlier comment whose id was not stored, because the function was killed after it wrote the comment.
 * Such a comment begins with the marker.
 */
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

/** Edits the comment. Returns false if somebody has deleted the comment. */
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

/**
 * After a 404, throws the error that names the missing object. A missing pull request affects only one run. If the
 * repository is missing, all deliveries of the notification fail.
 */
async function refuseMissing(github: Github, pull: string): Promise<never> {
  await github.call({ method: 'GET', path: '', does: 'repository' });
  throw new Ended({ kind: 'pointless' }, `The repository has no pull request ${pull}`, MISSING);
}

// Builds the text of the comment on a pull request: the result, the run that it is compared with, and the tests grouped
// by verdict.

/**
 * Shows the text of a test as inline code, so that it mentions nobody, links to nothing and does not break the
 * structure of the comment. Outside of code, GitHub recognizes mentions, issue numbers, URLs and emoji. A vertical bar
 * would split the table cell even inside code, so it is replaced by a similar character.
 */
function inertCode(text: string, characters: number): string {
  const line = visibleLine(text).replaceAll('|', '\u2223');
  const shown = beginningOf(line, characters);
  const whole = shown.length < line.length ? `${shown}…` : shown || ' ';
  const longest = Math.max(0, ...[...whole.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  // Spaces separate the delimiters from a text that begins or ends with backticks. Markdown removes these spaces.
  return `${fence} ${whole} ${fence}`;
}

/** A link to a page of this service. The URL is in angle brackets, so that it may contain parentheses. */
const linkTo = (text: string, url: string): string =>
  `[${text}](<${url.replaceAll('<', '%3C').replaceAll('>', '%3E').replaceAll('|', '%7C')}>)`;

interface CommentFacts {
  readonly origin: string;
  readonly marker: string;
  readonly projectName: string;
  readonly run: Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId' | 'commit'>;
  /** The result of the run in a few words. */
  readonly result: string;
  readonly comparison: RunComparison;
}

const { nameCharacters, titleCharacters, errorCharacters, commentCharacters } = NOTIFICATION_LIMITS;

export function commentBody(facts: CommentFacts): string {
  const { origin, marker, projectName, run, result } = facts;
  const name = inertCode(projectName, nameCharacters);
  const link = linkTo(inertCode(run.ciBuildId, nameCharacters), runUrlOf(origin, run));
  const head = [marker, `### ${name}: ${result}`, '', `Run ${link}${commitText(run)}. ${baseText(facts)}`, ''];
  return withRows(head.join('\n'), facts);
}

function commitText({ commit }: CommentFacts['run']): string {
  const sha = shortSha(commit);
  return sha === undefined ? '' : ` of ${inertCode(sha, sha.length)}`;
}

function baseText({ origin, run, comparison: { base, baseBranch } }: CommentFacts): string {
  const branch = inertCode(baseBranch, nameCharacters);
  if (!base) return `There is no earlier complete run of ${branch} to compare with.`;
  const link = linkTo(inertCode(base.ciBuildId, nameCharacters), runUrlOf(origin, { ...run, runId: base.runId }));
  return `Compared with the run ${link} of ${branch}.`;
}

const TABLE_HEAD = ['| | Test | Error |', '|---|---|---|'].join('\n');

/** Adds rows to the table while they fit. The last line says how many tests are left out. */
function withRows(head: string, facts: CommentFacts): string {
  const { sections } = facts.comparison;
  const totals = new Map(sections.map(({ verdict, total }) => [verdict, total]));
  const wanted = SHOWN.reduce((sum, [verdict]) => sum + (totals.get(verdict) ?? 0), 0);
  if (wanted === 0) return `${head}\nNo tests failed, were flaky or were fixed.`;
  const lines = [head, TABLE_HEAD];
  let left = commentCharacters - head.length - TABLE_HEAD.length;
  let shown = 0;
  for (const row of rowsOf(facts)) {
    left -= row.length + 1;
    if (left < 0) break;
    lines.push(row);
    shown += 1;
  }
  const more = wanted - shown;
  const isWhole = facts.comparison.isWhole ? '' : ' at least';
  if (more > 0)
    lines.push('', `And${isWhole} ${more} more in ${linkTo('the run', runUrlOf(facts.origin, facts.run))}.`);
  return lines.join('\n');
}

function rowsOf(facts: CommentFacts): string[] {
  const { sections } = facts.comparison;
  return SHOWN.flatMap(([verdict, word]) => {
    const section = sections.find((one) => one.verdict === verdict);
    return (section?.tests ?? []).map((test) => rowOf(facts, test, { verdict, word }));
  });
}

function rowOf(
  { origin, run }: CommentFacts,
  test: ComparedTest,
  { verdict, word }: { readonly verdict: Verdict; readonly word: string },
): string {
  const title = linkTo(inertCode(test.title.join(' › '), titleCharacters), testUrlOf(origin, run, test));
  const known = test.knownFlaky ? ', known flaky' : '';
  const where = [test.spec, ...(test.groupId === test.spec ? [] : [test.groupId])].join(' · ');
  const error = test.error === null || verdict === 'fixed' ? '' : inertCode(test.error, errorCharacters);
  return `| ${word}${known} | ${title} ${inertCode(where, nameCharacters)} | ${error} |`;
}
