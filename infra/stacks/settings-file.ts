/** The committed settings of an environment: `infra/environments/<env>.json`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';

/**
 * The settings by name. `null` says that a setting was removed on purpose, which an earlier version of the file had.
 */
const File = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

export interface SettingsFile {
  readonly path: string;
  readonly settings: z.infer<typeof File>;
  /** Committed versions of the file in all branches, newest first. Empty without git. */
  readonly committed: ReadonlyArray<z.infer<typeof File>>;
}

/** Reads the settings file of the environment. Throws if the folder has no valid one. */
export function readSettingsFile(folder: string, environment: string): SettingsFile {
  const path = join(folder, `${environment}.json`);
  if (!existsSync(path)) throw new Error(`${path} is missing: write the settings of ${environment} there, or {}`);
  return { path, settings: parsed(path, readFileSync(path, 'utf8')), committed: committedVersions(path) };
}

function parsed(path: string, text: string): z.infer<typeof File> {
  try {
    return File.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} must be a JSON object of settings: {"domain": "results.example.com"}`);
  }
}

/** Reads the committed versions of the file. Skips versions that cannot be parsed. */
function committedVersions(path: string): Array<z.infer<typeof File>> {
  const git = (...command: string[]): string =>
    execFileSync('git', command, { cwd: dirname(path), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const read = (commit: string): Array<z.infer<typeof File>> => {
    try {
      return [File.parse(JSON.parse(git('show', `${commit}:./${basename(path)}`)))];
    } catch {
      return [];
    }
  };
  try {
    // All branches, because a worktree of an earlier commit has an older file.
    return git('log', '--all', '--format=%H', '--', basename(path)).split('\n').filter(Boolean).flatMap(read);
  } catch {
    return [];
  }
}

/** Settings whose removal or change would make data, sign-ins or the address unavailable. */
const LASTING = ['domain', 'certificate', 'zone', 'oauthIssuer', 'signingKeys', 'table', 'tableStream'];

/** Settings of the deployed stack that a deployment with `given` would remove or change, except those in `changed`. */
export function lostSettings(
  { path, settings, committed: [newest, ...older] }: SettingsFile,
  given: Readonly<Record<string, unknown>>,
  changed: readonly string[],
): string[] {
  if (newest === undefined) return [];
  return LASTING.filter((name) => !changed.includes(name)).flatMap((name) => {
    const was = newest[name] ?? undefined;
    const is = given[name];
    const ever = older.some((version) => version[name] !== undefined && version[name] !== null);
    if (was !== undefined && is === undefined && settings[name] !== null)
      return [`${name} is missing, but ${path} was committed with ${was}`];
    if (was !== is && is !== undefined)
      return [`${name} is ${is}, but ${path} was committed with ${was ?? 'none'}: commit the new value`];
    if (ever && is === undefined && settings[name] === undefined)
      return [`${name} is missing, but earlier versions of ${path} have it: write null if it should be none`];
    return [];
  });
}
