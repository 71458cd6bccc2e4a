/** Runs the published reporters as their users do. */
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ended, run, temporaryFolder } from '#test/infra/local/child.ts';

export const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';
const CURRENTS = 'node_modules/@currents/cmd/dist/bin/index.js';
const RESULTS_DIRECTORY = join(import.meta.dirname, '../samples/results-directory');

export interface Target {
  readonly origin: string;
  readonly projectId: string;
  readonly keys: { readonly readWrite: string };
}

/** The environment variables that configure the published reporters. */
export const environment = ({ origin, projectId, keys }: Target, ciBuildId: string) => ({
  CURRENTS_API_URL: origin,
  CURRENTS_PROJECT_ID: projectId,
  CURRENTS_RECORD_KEY: keys.readWrite,
  CURRENTS_CI_BUILD_ID: ciBuildId,
  CURRENTS_TAG: 'nightly',
  FORCE_COLOR: '0',
});

export interface SuiteEnded extends Ended {
  /** Playwright's own JSON report. */
  readonly report: unknown;
  /** The folder with the other reports: `junit.xml`, `blob.zip` and `ctrf.json`. */
  readonly reports: string;
}

/**
 * Runs a sample suite with the reporters that its Playwright configuration names. `args` are additional arguments of
 * `playwright test`.
 */
export async function runSample(
  target: Target,
  {
    ciBuildId,
    suite = 'playwright',
    args = [],
    env = {},
  }: { ciBuildId: string; suite?: string; args?: readonly string[]; env?: Readonly<Record<string, string>> },
): Promise<SuiteEnded> {
  const folder = await temporaryFolder();
  const file = join(folder, 'report.json');
  const command = [PLAYWRIGHT, 'test', '--config', `test/samples/${suite}`, '--output', join(folder, 'results')];
  const ended = await run([...command, ...args], {
    ...environment(target, ciBuildId),
    ...env,
    REPORTS_FOLDER: folder,
    PLAYWRIGHT_JSON_OUTPUT_FILE: file,
  });
  const report: unknown = await readFile(file, 'utf8').then(JSON.parse, () => undefined);
  return { ...ended, report, reports: folder };
}

/**
 * Copies the sample Results Directory, because the upload command writes into it. By default, the copy is in a
 * temporary folder.
 */
export async function resultsDirectory(into?: string): Promise<string> {
  const folder = into ?? join(await temporaryFolder(), 'results');
  await cp(RESULTS_DIRECTORY, folder, { recursive: true });
  return folder;
}

export const runUpload = (target: Target, folder: string, ciBuildId: string): Promise<Ended> =>
  run([CURRENTS, 'upload', '--report-dir', folder], environment(target, ciBuildId));
