/**
 * A copy of the project with its own Git history. All deployments are made from this copy, as an operator makes them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';
import type { Emulator } from './emulator.ts';
import { findMissingHistory, RELEASE, unpackRelease } from './released-project.ts';

/**
 * Environment variables of `close-gaps.ts`. `CHANGES` has the path of the file in which it lists the changes. `UPDATE`
 * has the number of earlier deployments of the environment, and is not set in the first one.
 */
export const CHANGES = 'EMULATED_CHANGES';
export const UPDATE = 'EMULATED_UPDATE';

export interface Project {
  readonly folder: string;
  readonly commit: (subject: string) => void;
  /** Replaces the files by those of this version, and commits them. */
  readonly useThisVersion: () => Promise<void>;
  /** The number of Git worktrees, including the project itself. */
  readonly worktrees: () => number;
  /** Runs Node with `words` in the copy, and appends its output to the file `log`. Throws unless it exits with 0. */
  readonly run: (log: string, words: readonly string[], more?: Readonly<Record<string, string>>) => Promise<void>;
}

/** The copy contains the last release, with its tag, if the history of this repository has it, and otherwise this version. */
export async function copyOfProject(emulator: Emulator, directory: string): Promise<Project> {
  const folder = join(directory, 'project');
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });
  const author = ['-c', 'user.name=Operator', '-c', 'user.email=operator@example.com'];
  const commit = (subject: string) => {
    git('add', '--all', '.');
    git(...author, 'commit', '--quiet', '--message', subject);
  };
  const adapt = async () => {
    await writeFile(join(folder, '.gitignore'), 'node_modules\ncdk.out\n');
    if (emulator.isMiniStack) await adaptApp(folder);
  };
  const useThisVersion = async () => {
    for (const name of await readdir(folder))
      if (name !== '.git' && name !== 'node_modules') await rm(join(folder, name), { recursive: true });
    for (const name of listFilesOfProject()) await cp(join(PROJECT, name), join(folder, name));
    await adapt();
    commit('Use this version');
  };
  const programs = await linkedPackages(directory);
  const project: Project = {
    folder,
    commit,
    useThisVersion,
    worktrees: () =>
      execFileSync('git', ['worktree', 'list', '--porcelain'], { cwd: folder, encoding: 'utf8' })
        .split('\n\n')
        .filter(Boolean).length,
    run: async (log, words, more = {}) => {
      const { AWS_CA_BUNDLE = '' } = emulator.environment;
      const child = spawn(process.execPath, words, {
        cwd: folder,
        env: {
          ...emulator.environment,
          PATH: `${programs}:${process.env.PATH}`,
          HOME: directory,
          CDK_DISABLE_CLI_TELEMETRY: 'true',
          NODE_EXTRA_CA_CERTS: AWS_CA_BUNDLE,
          ...more,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const path = join(directory, log);
      const file = createWriteStream(path, { flags: 'a' });
      for (const output of [child.stdout, child.stderr]) output.pipe(file, { end: false });
      const [status]: unknown[] = await once(child, 'exit');
      if (status !== 0) throw new Error(`${words.join(' ')} ended with the exit status ${status}. Read ${path}`);
    },
  };
  await mkdir(folder);
  git('init', '--quiet');
  if (findMissingHistory() === undefined) {
    await unpackRelease(folder);
    await rm(join(folder, 'test'), { recursive: true });
    await adapt();
    commit('Release');
    git(...author, 'tag', '--annotate', RELEASE_TAG, '--message', 'Release');
  } else {
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    await useThisVersion();
  }
  return project;
}

/** All files that belong to the project, except tests. A list by hand would miss the file that a build needs next. */
function listFilesOfProject(): string[] {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.', ':(exclude)test'];
  const names = execFileSync('git', words, { cwd: PROJECT, encoding: 'utf8' }).split('\0').filter(Boolean);
  return names.filter((name) => existsSync(join(PROJECT, name)));
}

/**
 * Makes the CDK CLI run `close-gaps.ts` after the CDK app. It does so in each deployment, including those of `npm run
 * restore` and `npm run rollback`.
 */
async function adaptApp(folder: string): Promise<void> {
  const path = join(folder, 'cdk.json');
  const settings: unknown = JSON.parse(await readFile(path, 'utf8'));
  const app = `node infra/app.ts && node ${join(PROJECT, 'test/tools/deploy/close-gaps.ts')}`;
  await writeFile(path, JSON.stringify({ ...Object(settings), app }));
}

/**
 * Returns a folder with a program `npm` that links this project's packages instead of installing them, which would take
 * minutes.
 */
async function linkedPackages(directory: string): Promise<string> {
  const folder = join(directory, 'programs');
  await mkdir(folder);
  await writeFile(join(folder, 'npm'), `#!/bin/sh\nexec ln -s ${join(PROJECT, 'node_modules')} node_modules\n`, {
    mode: 0o755,
  });
  return folder;
}

export const RELEASE_TAG = `v${RELEASE.version}`;

/** The path of the endpoint that `addRoute` adds. */
export const NEW_ROUTE = '/health-of-the-update';

/** Adds an endpoint, because that is the most common kind of change. The endpoint answers like `getHealth`. */
export async function addRoute({ folder, commit }: Project): Promise<void> {
  const health = await readFile(join(folder, 'functions/api/get-health.ts'), 'utf8');
  const added = health.replace("'getHealth'", "'getUpdatedHealth'").replace("'GET /health'", `'GET ${NEW_ROUTE}'`);
  await writeFile(join(folder, 'functions/api/get-updated-health.ts'), added);
  commit('Add a route');
}
