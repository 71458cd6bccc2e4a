/** Links to the pages of a run elsewhere: its jobs at the CI system, and its pull request at the host of the repository. */
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { buildPullRequestUrl, nameCiPage } from './code-host.ts';

/** Several jobs get numbers, because most CI systems have one address per job. */
export const CiLinks = ({ pages }: { readonly pages: readonly string[] | undefined }): Html => (
  <>
    {pages?.map((page, index) => (
      <a href={page} rel="noreferrer" title={page}>
        <Icon name="external-link" />
        {index === 0 || pages.length === 1 ? nameCiPage(page) : `job ${index + 1}`}
      </a>
    ))}
  </>
);

interface PullRequestProps {
  readonly remoteOrigin: string | null;
  readonly id: string | undefined;
}

/** Empty if the host of the repository is not known. */
export function PullRequestLink({ remoteOrigin, id }: PullRequestProps): Html {
  const page = id === undefined ? undefined : buildPullRequestUrl({ remoteOrigin }, id);
  return page === undefined ? (
    <></>
  ) : (
    <a href={page} rel="noreferrer" title={page}>
      <Icon name="external-link" />#{id} at {new URL(page).hostname}
    </a>
  );
}
