/** The steps of a release. After an interruption, the same command continues: what was recorded and tagged stays. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { type AdvisoryReport, formatAdvisories, formatAdvisory, listSevere } from './advisories.ts';

export class CannotRelease extends Error {
  override name = 'CannotRelease';
}

export interface Release {
  readonly project: string;
  /** The date of the release, for example `2026-11-27`. */
  readonly today: string;
  /** If true, only checks, and says what would be done. */
  readonly dryRun: boolean;
  readonly say: (line: string) => void;
  /** Records data and interfaces of the version, and packs the client, in `infra/client/released` and `test/samples/releases`. */
  readonly record: () => void | Promise<void>;
  /**
   * Deploys, updates and rolls back on an emulator. Returns a sentence for the release notes: what was tested, or why
   * nothing was. Throws `CannotRelease` if the test fails.
   */
  readonly testDeployment: () => string | Promise<string>;
  /** Asks for the known advisories about the packages of the release. */
  readonly findAdvisories: () => Promise<AdvisoryReport>;
  /** Why the release is made although there are severe advisories. */
  readonly acceptance: string | undefined;
  /** Whether the tag is signed, with the key of the Git configuration. */
  readonly signs: boolean;
  /** Writes the files that people download into `folder`. The functions in these files show `commit`. */
  readonly writeFiles: (folder: string, commit: string) => Promise<void>;
}

export const getReleaseFolder = (project: string, version: string): string =>
  join(project, `cdk.out/release-${version}`);

export async function release({
  project,
  today,
  dryRun,
  say,
  record,
  testDeployment,
  writeFiles,
  ...options
}: Release): Promise<void> {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const version = await readVersion(project);
  const tag = `v${version}`;
  // What `record` writes. Later versions are tested against it, so it belongs to the tagged commit.
  const recordedPaths = [
    `infra/client/released/rundown-cli-${version}.tgz`,
    `test/samples/releases/${version}`,
    `infra/build/released-routes/${version}.json`,
  ];
  // The routes of older releases are removed.
  const changedPaths = recordedPaths.map((path) => (path.startsWith(ROUTES) ? ROUTES : path));
  const others = changedPaths.map((path) => `:(exclude)${path}`);
  const changedFiles = git('status', '--porcelain', '--', '.', ...others);
  if (changedFiles !== '')
    throw new CannotRelease(`These files are not committed: commit them, or discard the changes\n${changedFiles}`);
  const taggedCommit = git('tag', '--list', tag) === '' ? undefined : git('rev-parse', `${tag}^{commit}`);
  if (taggedCommit !== undefined && taggedCommit !== git('rev-parse', 'HEAD'))
    throw new CannotRelease(`The tag ${tag} is at another commit: raise the version, or check out ${tag}`);
  if (taggedCommit === undefined) await checkChangelog(project, version, today);

  const advisories = await options.findAdvisories();
  say(describeAdvisories(advisories));
  requireAcceptance(advisories, options.acceptance);

  const isRecorded = recordedPaths.every((path) => git('ls-tree', 'HEAD', path) !== '');
  say(
    isRecorded ? `${version} was recorded before` : `Record data, interfaces and client of ${version}, and commit them`,
  );
  if (!isRecorded && !dryRun) {
    await record();
    git('add', '--all', '--', ...changedPaths);
    git('commit', '--message', `Record release ${version}`, '--', ...changedPaths);
  }
  say(taggedCommit === undefined ? 'Test the deployment' : 'The deployment was tested before');
  // The message of the tag says how the deployment was tested.
  const readTestResult = () => git('tag', '--list', '--format=%(contents:body)', tag);
  const test = dryRun ? '' : await (taggedCommit === undefined ? testDeployment() : readTestResult());
  const folder = getReleaseFolder(project, version);
  say(`Write the files of the release to ${folder}`);
  if (!dryRun)
    await writeFolder(folder, async (temporaryFolder) => {
      await writeFiles(temporaryFolder, git('rev-parse', '--short', 'HEAD'));
      const text = formatAdvisories(advisories, today, options.acceptance);
      await writeFile(join(temporaryFolder, 'ADVISORIES.md'), text);
      await writeFile(join(temporaryFolder, NOTES), `${await readChanges(project)}\n\n${test}\n`);
    });
  say(taggedCommit === undefined ? `Tag the commit as ${tag}` : `The commit has the tag ${tag}`);
  if (dryRun) return;
  const kind = options.signs ? '--sign' : '--annotate';
  if (taggedCommit === undefined) git('tag', kind, tag, '--message', `Release ${version}`, '--message', test);
  say('');
  say('Nothing was published. Next:');
  say(`1. Run \`npm test\`. If it fails, run \`git tag --delete ${tag}\` and fix the problem`);
  say(`2. \`git push origin HEAD ${tag}\``);
  say(`3. Create the release ${tag} in the repository, with the text of ${NOTES} and all files of ${folder}`);
  say('4. Raise the versions for the next release, and begin its section in CHANGELOG.md');
}

function describeAdvisories(report: AdvisoryReport): string {
  if (report.kind === 'not answered')
    return `OSV could not be asked for known advisories, and ADVISORIES.md will say so: ${report.reason}`;
  const lines = report.advisories.map((advisory) => `\n- ${formatAdvisory(advisory)}`).join('');
  return `OSV knows ${report.advisories.length} advisories about ${report.packages} packages${lines}`;
}

function requireAcceptance(report: AdvisoryReport, acceptance: string | undefined): void {
  const severe = listSevere(report);
  if (severe.length === 0 || acceptance !== undefined) return;
  throw new CannotRelease(
    `${severe.map(formatAdvisory).join('\n')}\nUpdate these packages, or release with --accept-advisories "<why they do no harm>", which ADVISORIES.md will quote`,
  );
}

const Manifest = z.object({ version: z.string().regex(/^\d+\.\d+\.\d+$/) });
const MANIFESTS = [
  'package.json',
  'package-lock.json',
  'infra/client/package/package.json',
  'infra/package/package/package.json',
];

async function readVersion(project: string): Promise<string> {
  const versions = await Promise.all(
    MANIFESTS.map(async (file) => {
      const { version } = Manifest.parse(JSON.parse(await readFile(join(project, file), 'utf8')));
      return { file, version };
    }),
  );
  const [version = '', ...others] = new Set(versions.map((one) => one.version));
  if (others.length === 0) return version;
  const list = versions.map((one) => `${one.file}: ${one.version}`).join('\n');
  throw new CannotRelease(`These files must have the same version\n${list}`);
}

/** The first section of the changelog. */
async function readChanges(project: string): Promise<string> {
  const changelog = await readFile(join(project, 'CHANGELOG.md'), 'utf8');
  const [section = ''] = changelog.split('\n## ').slice(1);
  return section.trim();
}

async function checkChangelog(project: string, version: string, today: string): Promise<void> {
  const [first = '', ...text] = (await readChanges(project)).split('\n');
  const heading = `${version} (${today})`;
  if (first !== heading)
    throw new CannotRelease(`The first section of CHANGELOG.md is "${first}": make it "${heading}", and commit it`);
  if (text.join('').trim() === '')
    throw new CannotRelease(`The section "${heading}" of CHANGELOG.md is empty: say what is new`);
}

/** Writes the files and their checksums to a temporary folder, which is renamed to `folder` when it is complete. */
async function writeFolder(folder: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporaryFolder = await mkdtemp(`${folder}-unfinished-`);
  try {
    await write(temporaryFolder);
    const lines = (await readdir(temporaryFolder)).sort().map(async (name) => {
      const hash = createHash('sha256').update(await readFile(join(temporaryFolder, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    });
    await writeFile(join(temporaryFolder, CHECKSUMS), (await Promise.all(lines)).join(''));
    if (existsSync(folder)) await rm(folder, { recursive: true });
    await rename(temporaryFolder, folder);
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

const CHECKSUMS = 'SHA256SUMS';
const NOTES = 'release-notes.md';
const ROUTES = 'infra/build/released-routes';
