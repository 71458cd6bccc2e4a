/** The branch, commit and repository of the checkout. */
import { spawnSync } from 'node:child_process';
import type { ImportOptions } from '#shared/model/runs/import.ts';

type GitFacts = Pick<ImportOptions, 'root' | 'branch' | 'sha' | 'message' | 'author' | 'authorEmail' | 'repository'>;

/** Reads the facts with only three processes, because each process delays the start of a test run. */
export function readGitFacts(): GitFacts {
  const git = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return { isDone: status === 0, text: (stdout ?? '').trim() };
  };
  // Without a commit, Git still prints the root folder before it fails.
  const { isDone, text } = git('rev-parse', '--show-toplevel', '--abbrev-ref', 'HEAD');
  const lines = text.split('\n');
  const branch = lines.pop();
  const [sha, author, authorEmail, message] = git('log', '-1', '--no-show-signature', `--format=${COMMIT}`)
    .text.split('\0')
    .map((part) => part.trim() || undefined);
  return {
    root: lines.join('\n') || undefined,
    branch: isDone && branch !== 'HEAD' ? branch : undefined,
    sha,
    author,
    authorEmail,
    message,
    // Repository URLs of CI checkouts may contain a token.
    repository: git('remote', 'get-url', 'origin').text.replace(/^(https?:\/\/)[^@/]*@/, '$1') || undefined,
  };
}

/** The hash, author and message of a commit, separated by NUL, which none of them can contain. */
const COMMIT = '%H%x00%an%x00%ae%x00%B';
