/** Shows since when a test has been failing on the default branch, and the commit that may have broken it. */
import type { Html } from '#shared/engine/html/html.ts';
import { FullTime, formatQuantity } from '#shared/pages/design/format.tsx';
import { shortenSha } from '#shared/pages/shell/commit-names.ts';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import type { FailingSince } from '#shared/results/executions/failing-since-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly since: FailingSince;
}

/** Since when a test has been failing, such as `on main since 18 Nov 2026, 09:12 UTC, commit 9642ed3`. */
export const FailingSinceText = ({ visit, since }: Props): Html => (
  <>
    on {visit.project.defaultBranchName} since{' '}
    <a href={linkToTestOfRun(visit, since)}>
      <FullTime at={since.createdAt} />
    </a>
    {since.mayBeEarlier && ' or earlier'}
    {since.sha !== null && (
      <>
        , commit <code>{shortenSha(since.sha)}</code>
      </>
    )}
  </>
);

/** Pass `groupId` only if the test runs in several groups. */
export const FailingSinceNotification = ({
  visit,
  since,
  groupId,
}: Props & { readonly groupId: string | undefined }): Html => (
  <p class="notice problem-text">
    {groupId !== undefined && `${groupId}: `}
    <strong>Failing</strong> <FailingSinceText visit={visit} since={since} />
    {since.title !== null && `: ${since.title}`}
    {since.authorName !== null && `, by ${since.authorName}`}. {formatQuantity(since.failures, 'failure')} without a
    pass.
  </p>
);
