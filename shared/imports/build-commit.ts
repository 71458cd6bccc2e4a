/** The commit of an import. */
import { type Commit, SentCommit } from '#shared/model/runs/commit.ts';
import type { ImportOptions } from '#shared/model/runs/import.ts';
import type { ParsedFile } from '#shared/reports/report.ts';

/** Splits `Zoë <z@example.org>`, as git prints authors. */
function parseAuthor(author: string | undefined): { readonly name?: string | undefined; readonly email?: string } {
  const text = author?.trim() ?? '';
  const start = text.lastIndexOf('<');
  const email = text.slice(start + 1, -1).trim();
  if (start === -1 || !text.endsWith('>') || !email.includes('@')) return { name: author };
  return { name: text.slice(0, start).trim() || undefined, email };
}

/** Values in the query take precedence over values in the files. */
export function buildCommit(
  files: readonly ParsedFile[],
  { branch, sha, message, author, authorEmail, repository }: ImportOptions,
): Commit {
  const inFiles = Object.assign({}, ...files.map(({ commit }) => commit).reverse());
  const { name, email } = parseAuthor(author);
  const queryValues = {
    branch,
    sha,
    message,
    authorName: name,
    authorEmail: authorEmail ?? email,
    remoteOrigin: repository,
  };
  const definedValues = Object.entries(queryValues).filter(([, value]) => value !== undefined);
  return SentCommit.parse({ ...inFiles, ...Object.fromEntries(definedValues) });
}
