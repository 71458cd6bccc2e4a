/** Finds report files: by names and patterns, or where test tools write them by default. */
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { escapePath, glob } from 'tinyglobby';

interface Place {
  /** What people call the reports. */
  readonly name: string;
  readonly patterns: readonly string[];
  /** The name of the folder that is sent as one archive, because its files belong together. */
  readonly folder?: string;
}

/**
 * In the order in which they are preferred: several of them may be about the same tests, so only the first is sent.
 * Those before JUnit XML say more about the tests.
 */
const PLACES: readonly Place[] = [
  { name: 'blob reports of Playwright', patterns: ['**/blob-report/*.zip'] },
  { name: 'Allure results', patterns: ['**/allure-results/*-result.json'], folder: 'allure-results' },
  { name: 'trx files', patterns: ['**/TestResults/**/*.trx'], folder: 'TestResults' },
  { name: 'output files of Robot Framework', patterns: ['**/output.xml'] },
  { name: 'CTRF reports', patterns: ['**/ctrf/*.json', '**/ctrf-report.json'] },
  {
    name: 'JUnit XML files',
    patterns: [
      '**/TEST-*.xml',
      '**/junit.xml',
      '**/junit-*.xml',
      '**/*.junit.xml',
      '**/build/test-results/**/*.xml',
      'report.xml',
    ],
  },
  { name: 'NUnit files', patterns: ['**/TestResult.xml'] },
  { name: 'results of TestNG', patterns: ['**/testng-results.xml'] },
  { name: 'Cucumber Messages', patterns: ['**/cucumber.ndjson', '**/cucumber-messages.ndjson'] },
  { name: 'Cucumber reports', patterns: ['**/cucumber.json', '**/cucumber-report.json', '**/target/cucumber*/*.json'] },
  { name: 'outputs of go test', patterns: ['**/go.jsonl', '**/gotestsum.jsonl'] },
  { name: 'outputs of nextest', patterns: ['**/nextest.jsonl'] },
  { name: 'reports of RSpec', patterns: ['**/rspec.json'] },
  { name: 'reports of Jest or Vitest', patterns: ['**/jest.json', '**/vitest.json'] },
  { name: 'mochawesome reports', patterns: ['**/mochawesome-report/*.json'] },
  { name: 'reports of mocha', patterns: ['**/mocha.json'] },
  { name: 'reports of Newman', patterns: ['**/newman.json', '**/newman/*.json'] },
  { name: 'reports of pytest-json-report', patterns: ['**/.report.json'] },
  { name: 'outputs of Dart or Flutter tests', patterns: ['**/dart.jsonl'] },
  { name: 'results of Xcode', patterns: ['**/xcode.json'] },
  { name: 'TAP files', patterns: ['**/*.tap', '**/prove.txt'] },
];

const IGNORED = ['**/node_modules/**', '**/.git/**', '**/vendor/**', '**/.venv/**'];

interface DefaultReports {
  readonly name: string;
  /** Files, and folders that are sent as archives. */
  readonly paths: readonly string[];
  /** Reports of other kinds, which may be about the same tests. */
  readonly others: readonly { readonly name: string; readonly paths: readonly string[] }[];
}

/** `undefined` if no tool left a report in its default place. */
export async function findDefaultReports(cwd: string): Promise<DefaultReports | undefined> {
  const kinds = await Promise.all(
    PLACES.map(async ({ name, patterns, folder }) => {
      const files = await glob([...patterns], { cwd, dot: true, expandDirectories: false, ignore: IGNORED });
      const paths = folder === undefined ? files : files.map((file) => findFolder(file, folder));
      return { name, paths: [...new Set(paths)].sort() };
    }),
  );
  const [first, ...others] = kinds.filter(({ paths }) => paths.length > 0);
  return first && { ...first, others };
}

/** The outermost folder with this name. */
function findFolder(file: string, folder: string): string {
  const parts = file.split('/');
  const at = parts.indexOf(folder);
  return at < 0 ? dirname(file) : parts.slice(0, at + 1).join('/');
}

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

export const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, resolve(path));
  return way !== '' && !isAbsolute(way) && way.split(sep)[0] !== '..';
};

/** The folders and files with these names, or that match these globs, sorted, each once. */
export async function matchReportFiles(operands: readonly string[], cwd = process.cwd()): Promise<string[]> {
  const folders = operands.filter((operand) => isFolder(resolve(cwd, operand)));
  // An operand that names an existing file is not a glob: the shell may have expanded the globs already, and file names
  // may contain brackets.
  const patterns = operands
    .filter((operand) => !folders.includes(operand))
    .map((operand) => (existsSync(resolve(cwd, operand)) ? escapePath(operand) : operand));
  const matches = patterns.length === 0 ? [] : await glob(patterns, { cwd, dot: true, expandDirectories: false });
  const places = new Map([...folders, ...matches].sort().map((path) => [resolve(cwd, path), path]));
  // The shell expands `reports/**` to folders and what is in them.
  return [...places].flatMap(([place, path]) =>
    folders.some((folder) => isInside(place, resolve(cwd, folder))) ? [] : path,
  );
}

/** The files of a folder that is sent as an archive. */
export const listFolder = (path: string): Promise<string[]> => listFiles(path, ['**/*']);

export const listFiles = async (cwd: string, patterns: readonly string[]): Promise<string[]> =>
  (await glob([...patterns], { cwd, dot: true, expandDirectories: false, ignore: IGNORED })).sort();
