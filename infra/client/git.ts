/** The branch, commit and repository of the checkout. */
import { execFileSync } from 'node:child_process';
import type { ImportOptions } from '#shared/model/runs/import.ts';

/** The facts about the checkout that Git can provide. */
type Known = 'root' | 'branch' | 'sha' | 'message' | 'author' | 'authorEmail' | 'repository';
type GitFacts = Pick<ImportOptions, Known>;

export function gitFacts(cwd: string): GitFacts {
  const git = (...args: readonly string[]): string | undefined => {
    try {
      return (
        execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || undefined
      );
    } catch {
      return undefined;
    }
  };
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  return {
    root: git('rev-parse', '--show-toplevel'),
    branch: branch === 'HEAD' ? undefined : branch,
    sha: git('rev-parse', 'HEAD'),
    message: git('log', '-1', '--format=%B'),
    author: git('log', '-1', '--format=%an'),
    authorEmail: git('log', '-1', '--format=%ae'),
    repository: withoutCredential(git('remote', 'get-url', 'origin')),
  };
}

/** Removes the credential from a URL. Repository URLs of CI checkouts may contain a token. */
const withoutCredential = (address: string | undefined): string | undefined =>
  address?.replace(/^(https?:\/\/)[^@/]*@/, '$1');
