/** `npm run rollback`: deploys an earlier commit with the current settings. The working copy stays as it is. */

import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT } from '#infra/build/declarations.ts';
import { FLAG, printLine, TEXT } from '#infra/cli/terminal/terminal.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { deploy, runChildProgram } from './deploy.ts';
import { choosePreviousCommit, readDeployedCommits } from './deployed-commits.ts';
import { confirm, parseEnvironment, readEnvironmentFile, runOperation } from './operation.ts';

const USAGE = `Usage: npm run rollback -- --env <name> [--to <commit>] [--without <settings>] [--yes]

Deploys an earlier commit with the current settings files. Data stays as it is, and so does the working copy.
You can repeat it, also after an interruption.

  --env dev|staging|prod   environment
  --to <commit>            commit or tag to deploy. Default: the commit that was deployed before
  --without <settings>     settings that the earlier commit does not know, with commas between them (optional)
  --yes                    roll back, and accept new permissions, without asking for confirmation (optional)`;

const OPTIONS = { env: TEXT, to: TEXT, without: TEXT, yes: FLAG, help: FLAG };

const runGit = (...words: string[]): string =>
  execFileSync('git', words, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

function resolveCommit(name: string): string {
  try {
    return runGit('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`);
  } catch {
    throw new UsageError(
      `${name} is neither a commit nor a tag of this repository. Fetch its history first: git fetch --tags, and in a shallow clone git fetch --unshallow`,
    );
  }
}

async function rollBack(): Promise<void> {
  const { env, to, without = '', yes = false, help } = parseArgs({ options: OPTIONS }).values;
  if (help) return printLine(USAGE);
  const target = parseEnvironment(env);
  const { name: environment } = target;
  const commit = resolveCommit(to ?? choosePreviousCommit(await readDeployedCommits(target)));
  const description = runGit('log', '-1', '--format=%h "%s" (%cr)', commit);
  await confirm([`This deploys ${description} to Rundown-${environment}, with the current settings.`], { yes });
  const folder = await mkdtemp(join(tmpdir(), 'rundown-rollback-'));
  // Ctrl-C ends the child programs. This one must still remove the temporary folder with the earlier commit.
  process.on('SIGINT', () => {});
  try {
    runGit('worktree', 'add', '--force', '--detach', folder, commit);
    const project = join(folder, runGit('rev-parse', '--show-prefix'));
    await useSettings(project, environment, without.split(','));
    await runChildProgram(project, ['npm', 'ci']);
    await deploy(project, { environment, asks: !yes });
  } finally {
    await rm(folder, { recursive: true, force: true });
    runGit('worktree', 'prune');
  }
  printLine(`Deployed ${description}. The next deployment of the current commit undoes this.`);
}

/** The earlier version gets the current settings, so that it uses the same domain, keys and table. */
async function useSettings(project: string, environment: string, without: readonly string[]): Promise<void> {
  const environments = 'infra/environments';
  await cp(join(PROJECT, environments), join(project, environments), { recursive: true });
  const file = join(project, environments, `${environment}.json`);
  const settings = Object.entries(await readEnvironmentFile(file)).filter(([name]) => !without.includes(name));
  await writeFile(file, JSON.stringify(Object.fromEntries(settings)));
  // The deployed commit is the code. Otherwise it would be shown and stored as one with uncommitted changes.
  const git = (...words: string[]) => execFileSync('git', words, { cwd: project, encoding: 'utf8' });
  const settingsFiles = git('ls-files', '-z', '--', environments).split('\0').filter(Boolean);
  git('update-index', '--assume-unchanged', '--', ...settingsFiles);
}

await runOperation(USAGE, rollBack);
