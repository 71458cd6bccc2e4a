/** `rundown upload`: sends report files, which all belong to one run. `rundown complete`: ends a run. */

import { randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { findCiJob, readCiVariables } from '#shared/model/runs/ci-job.ts';
import {
  type CommandImports,
  type FailedTests,
  parseAnswerText,
  parseFailedTests,
  parseReceivedImport,
  type ReceivedImport,
} from './answers.ts';
import type { CommandLine } from './options.ts';
import { getSentName, joinReports, type ReportPart, readReportPart } from './report-parts.ts';
import { findDefaultReports, matchReportFiles } from './report-places.ts';
import { makeService, type Query, type Service, sendRepeatedly } from './service.ts';
import { type BuildFacts, readCiBuild } from './settings/ci-build.ts';
import { CommandFailure, RefusedFile } from './settings/failure.ts';
import { readGitFacts } from './settings/git.ts';
import { formatMarkdownSummary, formatStepOutputs } from './summary.ts';

/** The maximum size of a file that is sent in the request itself. Lambda accepts 6 MB including the base64 encoding. */
const REQUEST_BYTES = 4 * 1024 * 1024;
const POLL_MILLISECONDS = 1000;
const WAIT_MILLISECONDS = 15 * 60_000;
const LISTED_TESTS = 20;
const NAMED_FILES = 20;

export async function upload(commandLine: CommandLine): Promise<CommandImports> {
  const service = makeService(commandLine);
  return uploadReports(commandLine, service, await findReportFiles(commandLine.operands));
}

/** `more`: parameters of the imports. */
export async function uploadReports(
  commandLine: CommandLine,
  service: Service,
  files: readonly string[],
  more: Query = {},
): Promise<CommandImports> {
  const parts = await joinReports(files);
  const query = { ...buildImportQuery(commandLine, parts.length), ...more };
  const { imports, refused } = await uploadParts(service, parts, query, commandLine.has('keep-open'));
  noteFormats(imports);
  const last = commandLine.has('dry-run') ? undefined : imports.at(-1);
  const result = { runUrl: last?.runUrl ?? null, runId: last?.runId ?? null, imports, refused };
  const summary = commandLine.text('summary');
  if (summary) await appendFile(summary, formatMarkdownSummary(result, await readFailedTests(service, result.runId)));
  const outputs = commandLine.text('outputs');
  if (outputs) await appendFile(outputs, formatStepOutputs(result));
  return result;
}

/** The run of the build cannot pass, although its reports have no failure that says so. */
export async function failJob(commandLine: CommandLine, service: Service, recordedId: string): Promise<void> {
  const ciBuildId = findBuildId(commandLine) ?? recordedId;
  await changeRun(service, { ciBuildId, ...readJob(commandLine), status: 'failed' });
}

/** `undefined` if they cannot be read: the job summary is then written without them. */
async function readFailedTests(service: Service, runId: string | null): Promise<FailedTests | undefined> {
  if (runId === null) return undefined;
  const query = { run_id: runId, detail: 'summary', limit: String(LISTED_TESTS) };
  try {
    return parseFailedTests(await service.json('/context', { query }));
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
}

/** Uploads the rest even if the service refuses a file, and then marks the run as failed. Throws if it refuses all. */
async function uploadParts(service: Service, parts: readonly ReportPart[], query: Query, keepOpen: boolean) {
  const imports: ReceivedImport[] = [];
  const refusedFiles: RefusedFile[] = [];
  const unread: string[] = [];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const completeFlag = isLast && refusedFiles.length === 0 && !keepOpen ? undefined : 'false';
    const status = refusedFiles.length > 0 ? 'failed' : query['status'];
    try {
      // If this one arrives, all have arrived.
      const leg = isLast && refusedFiles.length === 0 ? query['leg'] : undefined;
      imports.push(await uploadPart(service, part, { ...query, complete: completeFlag, status, leg }));
    } catch (error) {
      if (!(error instanceof RefusedFile)) throw error;
      refusedFiles.push(error);
      unread.push(getSentName(part));
    }
  }
  const [first] = refusedFiles;
  if (first && imports.length === 0) throw first;
  const { ciBuildId, dryRun, job, jobAttempt, jobId, jobBuild, try: again } = query;
  if (first && !dryRun) {
    const build = { ciBuildId, job, jobAttempt, jobId, jobBuild, try: again };
    const names = unread.slice(0, NAMED_FILES);
    await changeRun(service, { ...build, status: 'failed', 'unreadable[]': names, complete: String(!keepOpen) });
  }
  return { imports, refused: refusedFiles };
}

/** An import request without a file, which completes the run of the build or marks it as failed. */
const changeRun = async (service: Service, query: Query): Promise<ReceivedImport> =>
  parseReceivedImport(await service.json(getImportsPath(service), { method: 'POST', query }));

const getImportsPath = ({ project }: Service): string => `/projects/${encodeURIComponent(project)}/imports`;

async function findReportFiles(operands: readonly string[]): Promise<string[]> {
  if (operands.length === 0) return findFilesInDefaultPlaces();
  const files = await matchReportFiles(operands);
  if (files.length > 0) return files;
  throw new CommandFailure(
    `No file matches ${operands.join(' ')}`,
    'Check the name, and that the tests wrote their report',
  );
}

/** Reports of other kinds may be about the same tests, which would then be counted twice. So they are only named. */
async function findFilesInDefaultPlaces(): Promise<string[]> {
  const reports = await findDefaultReports(process.cwd());
  if (!reports)
    throw new CommandFailure(
      'No file is given, and no report is in the default place of a test tool',
      'Name report files: rundown upload "reports/*.xml"',
    );
  printNote(`Found ${reports.name}: ${listPaths(reports.paths)}`);
  for (const { name, paths } of reports.others)
    printNote(`Left ${name}, which may be about the same tests: ${listPaths(paths)}. To send them, name them`);
  return [...reports.paths];
}

function listPaths(paths: readonly string[]): string {
  const names = paths.slice(0, NAMED_FILES).map((path) => makeVisibleLine(path));
  return paths.length > names.length ? `${names.join(', ')} and ${paths.length - names.length} more` : names.join(', ');
}

/** Tools can write several formats about one run. The page of the run names tests only if their names are equal. */
function noteFormats(imports: readonly ReceivedImport[]): void {
  const files = imports.flatMap((one) => one.files).filter(({ tests }) => tests.overall > 0);
  const formats = new Set(files.map(({ format }) => format));
  if (formats.size < 2) return;
  const examples = [...formats].map((format) => {
    const { name = '' } = files.find((file) => file.format === format) ?? {};
    return `${format} (${makeVisibleLine(name)})`;
  });
  printNote(
    `The reports have several formats: ${examples.join(', ')}. If they are about the same tests, each test counts twice: send those of one format`,
  );
}

/** On the error stream, because the output may be JSON. */
const printNote = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** Options have priority over the CI system, and the CI system over Git. */
function buildImportQuery(commandLine: CommandLine, parts: number): Query {
  const ofBuild: BuildFacts = Object.fromEntries(Object.entries(readCiBuild(process.env)).filter(([, value]) => value));
  const facts = { ...readGitFacts(), ...ofBuild };
  const choose = (name: string, fact?: string) => commandLine.text(name) ?? fact;
  return {
    ciBuildId: choose('ci-build-id', facts.ciBuildId) ?? (parts > 1 ? `local-${randomUUID()}` : undefined),
    branch: choose('branch', facts.branch),
    sha: choose('sha', facts.sha),
    message: choose('message', facts.message),
    author: choose('author', facts.author),
    authorEmail: choose('author-email', facts.authorEmail),
    repository: choose('repository', facts.repository),
    pullRequest: choose('pull-request', facts.pullRequest),
    githubRunId: facts.githubRunId,
    githubRunAttempt: facts.githubRunAttempt,
    ...readJob(commandLine),
    root: choose('root', facts.root ?? process.cwd()),
    'tags[]': commandLine.list('tag'),
    machineId: choose('machine-id'),
    ...Object.fromEntries(
      ['format', 'group', 'environment', 'timezone', 'status'].map((name) => [name, commandLine.text(name)]),
    ),
    dryRun: commandLine.has('dry-run') ? 'true' : undefined,
  };
}

function readJob(commandLine: CommandLine): Query {
  const { name, attempt, id, build: buildId, url } = findCiJob(readCiVariables(process.env)) ?? {};
  const jobAttempt = attempt === undefined ? undefined : String(attempt);
  return { job: name, jobAttempt, jobId: id, jobBuild: buildId, jobUrl: url, try: commandLine.text('try') };
}

async function uploadPart(service: Service, part: ReportPart, query: Query): Promise<ReceivedImport> {
  const bytes = await readReportPart(part);
  const isCompressed = bytes[0] === 0x50 || (bytes[0] === 0x1f && bytes[1] === 0x8b);
  const body = new Uint8Array(isCompressed ? bytes : await promisify(gzip)(bytes));
  const namedQuery = { ...query, name: getSentName(part) };
  const receivedImport =
    body.length <= REQUEST_BYTES
      ? parseReceivedImport(await service.json(getImportsPath(service), { method: 'POST', query: namedQuery, body }))
      : await uploadByLink(service, namedQuery, body);
  return waitForImport(service, part.path, receivedImport);
}

async function uploadByLink(
  service: Service,
  { dryRun, ...query }: Query,
  body: Uint8Array<ArrayBuffer>,
): Promise<ReceivedImport> {
  if (dryRun)
    throw new CommandFailure(
      'A report has more than 4 MiB after compression, which is too large for a dry run',
      'Leave out --dry-run, or split the report',
    );
  const link = await service.json(`${getImportsPath(service)}/links`, { method: 'POST', query });
  await sendRepeatedly(parseAnswerText(link, 'uploadUrl'), { method: 'PUT', body });
  return parseReceivedImport(await service.json(`/imports/${parseAnswerText(link, 'importId')}`));
}

/** Waits until the uploaded file is recorded, which happens in the background. */
async function waitForImport(service: Service, file: string, receivedImport: ReceivedImport): Promise<ReceivedImport> {
  let currentImport = receivedImport;
  const until = Date.now() + WAIT_MILLISECONDS;
  while (currentImport.state === 'waiting' || currentImport.state === 'recording') {
    if (Date.now() > until)
      throw new CommandFailure(`${file} is still being recorded`, `Check the import ${currentImport.importId} later`);
    await setTimeout(POLL_MILLISECONDS);
    currentImport = parseReceivedImport(await service.json(`/imports/${currentImport.importId}`));
  }
  if (currentImport.state === 'refused')
    throw new RefusedFile(`${file}: ${currentImport.problem}`, 'Correct the file, and upload it again');
  return currentImport;
}

export async function complete(commandLine: CommandLine): Promise<CommandImports> {
  const service = makeService(commandLine);
  const ciBuildId = findBuildId(commandLine);
  if (!ciBuildId)
    throw new CommandFailure('The CI build id is missing', 'Set --ci-build-id to the id used for the uploads');
  const { runUrl, runId } = await changeRun(service, { ciBuildId, ...readJob(commandLine), complete: 'true' });
  return { runUrl, runId, imports: [], refused: [] };
}

const findBuildId = (commandLine: CommandLine): string | undefined =>
  commandLine.text('ci-build-id') ?? readCiBuild(process.env).ciBuildId;
