/** Replaces erased authors in what is recorded from then on. */
import type { WithTable } from '#shared/engine/table/table.ts';
import {
  digestAddress,
  digestName,
  erasedAuthors,
  erasureKeys,
  makePseudonym,
  type Pseudonym,
  replaceAuthor,
} from '#shared/model/organizations/erasure.ts';
import type { Commit } from '#shared/model/runs/commit.ts';

/** Also leaves out who sent the event of the pull request. */
export const anonymizeCommit = (commit: Commit, pseudonym: Pseudonym): Commit => ({
  ...commit,
  ...replaceAuthor(commit, pseudonym),
  ghaEventData: commit.ghaEventData && { ...commit.ghaEventData, senderAvatarUrl: null, senderHtmlUrl: null },
});

/** The commit of a new run. Most organizations have never erased anybody, so this usually reads one missing row. */
export async function replaceErasedAuthor(
  { table }: WithTable,
  { organizationId, commit }: { readonly organizationId: string; readonly commit: Commit },
): Promise<Commit> {
  const { authorName, authorEmail } = commit;
  if (authorName === null && authorEmail === null) return commit;
  const key = await table.get(erasureKeys, { organizationId });
  if (!key) return commit;
  const digest = authorEmail === null ? digestName(key, authorName ?? '') : digestAddress(key, authorEmail);
  const erased = await table.get(erasedAuthors, { organizationId, digest });
  return erased ? anonymizeCommit(commit, makePseudonym(erased.code)) : commit;
}
