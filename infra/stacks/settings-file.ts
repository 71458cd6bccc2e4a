/** The settings file of an environment, and its committed versions, with which the settings of a deployment are compared. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';

/** `null` marks a setting that an earlier version of the file had and that was removed on purpose. */
const File = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

interface SettingsFile {
  readonly path: string;
  readonly settings: z.infer<typeof File>;
  /** The valid committed versions of the file in all branches, newest first. Empty if git is not available. */
  readonly committed: ReadonlyArray<z.infer<typeof File>>;
}

export function readSettingsFile(folder: string, environment: string): SettingsFile {
  const path = join(folder, `${environment}.json`);
  if (!existsSync(path))
    throw new Error(`${path} is missing: create this file with the settings of ${environment}, or with {}`);
  return {
    path,
    settings: parseSettingsFile(path, readFileSync(path, 'utf8')),
    committed: readCommittedVersions(path),
  };
}

function parseSettingsFile(path: string, text: string): z.infer<typeof File> {
  try {
    return File.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} must be a JSON object of settings, such as {"domain": "results.example.com"}`);
  }
}

/** Skips versions that cannot be parsed. */
function readCommittedVersions(path: string): Array<z.infer<typeof File>> {
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
    // Searches all branches, because the checked-out commit may contain an older version of the file.
    return git('log', '--all', '--format=%H', '--', basename(path)).split('\n').filter(Boolean).flatMap(read);
  } catch {
    return [];
  }
}

/**
 * Settings whose removal or change would make data, sign-ins or the address of the service unavailable, or open the
 * service to strangers.
 */
const LASTING = [
  'domain',
  'certificate',
  'zone',
  'oauthIssuer',
  'githubClient',
  'githubUrl',
  'signInIssuer',
  'signInClient',
  'signingKeys',
  'table',
  'tableStream',
  'tableImport',
  'kmsKey',
  'allowedSources',
  'access',
  'vpcEndpoints',
];

/** One message for each setting in `LASTING` that differs from the committed versions and is not in `changedNames`. */
export function listLostSettings(
  { path, settings, committed: [newestVersion, ...older] }: SettingsFile,
  values: Readonly<Record<string, unknown>>,
  changedNames: readonly string[],
): string[] {
  if (newestVersion === undefined) return [];
  return LASTING.filter((name) => !changedNames.includes(name)).flatMap((name) => {
    const was = newestVersion[name] ?? undefined;
    const is = values[name];
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
