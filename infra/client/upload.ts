/** `rundown upload`: sends report files, which all belong to one run. `rundown complete`: ends a run. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { escapePath, glob } from 'tinyglobby';
import { findCiJob, readCiVariables } from '#shared/model/runs/ci-job.ts';
import {
  answerIn,
  type CommandImports,
  type FailedTests,
  failedTestsIn,
  importIn,
  type ReceivedImport,
} from './answers.ts';
import type { Given } from './options.ts';
import { type Query, type Service, sendRepeatedly, serviceOf } from './service.ts';
import { type BuildFacts, ciBuild } from './settings/ci-build.ts';
import { CommandFailure, RefusedFile } from './settings/failure.ts';
import { gitFacts } from './settings/git.ts';
import { markdownSummary, stepOutputs } from './summary.ts';

/** The maximum size of a file that is sent in the request itself. Lambda accepts 6 MB including the base64 encoding. */
const REQUEST_BYTES = 4 * 1024 * 1024;
const POLL_MILLISECONDS = 1000;
const WAIT_MILLISECONDS = 15 * 60_000;
const LISTED_TESTS = 20;
const NAMED_FILES = 20;

export async function upload(given: Given): Promise<CommandImports> {
  const service = serviceOf(given);
  const files = await filesOf(given.operands);
  const query = queryOf(given, files.length);
  const { imports, refused } = await uploadFiles(service, files, query, given.has('keep-open'));
  const last = given.has('dry-run') ? undefined : imports.at(-1);
  const uploaded = { runUrl: last?.runUrl ?? null, runId: last?.runId ?? null, imports, refused };
  const summary = given.text('summary');
  if (summary) await appendFile(summary, markdownSummary(uploaded, await failedTests(service, uploaded.runId)));
  const outputs = given.text('outputs');
  if (outputs) await appendFile(outputs, stepOutputs(uploaded));
  return uploaded;
}

/**
 * The failed tests, for the job summary. `undefined` if they cannot be read: the summary is then written without them.
 */
async function failedTests(service: Service, runId: string | null): Promise<FailedTests | undefined> {
  if (runId === null) return undefined;
  const query = { run_id: runId, detail: 'summary', limit: String(LISTED_TESTS) };
  try {
    return failedTestsIn(await service.json('/context', { query }));
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
}

/**
 * Uploads every file, even if the service refuses one of them. If the service refuses some files, the run is marked as
 * failed. Throws if it refuses all files.
 */
async function uploadFiles(service: Service, files: readonly string[], query: Query, keepOpen: boolean) {
  const imports: ReceivedImport[] = [];
  const refused: RefusedFile[] = [];
  const unread: string[] = [];
  for (const [index, file] of files.entries()) {
    const isLast = index === files.length - 1;
    const complete = isLast && refused.length === 0 && !keepOpen ? undefined : 'false';
    const status = refused.length > 0 ? 'failed' : query['status'];
    try {
      imports.push(await uploadFile(service, file, { ...query, complete, status }));
    } catch (error) {
      if (!(error instanceof RefusedFile)) throw error;
      refused.push(error);
      unread.push(basename(file));
    }
  }
  const [first] = refused;
  if (first && imports.length === 0) throw first;
  const { ciBuildId, dryRun, job, jobAttempt, jobId, jobBuild, try: again } = query;
  if (first && !dryRun) {
    const build = { ciBuildId, job, jobAttempt, jobId, jobBuild, try: again };
    const names = unread.slice(0, NAMED_FILES);
    await change(service, { ...build, status: 'failed', 'unreadable[]': names, complete: String(!keepOpen) });
  }
  return { imports, refused };
}

/** An import request without a file, which completes the run of the build or marks it as failed. */
const change = async (service: Service, query: Query): Promise<ReceivedImport> =>
  importIn(await service.json(importsOf(service), { method: 'POST', query }));

const importsOf = ({ project }: Service): string => `/projects/${encodeURIComponent(project)}/imports`;

async function filesOf(operands: readonly string[]): Promise<string[]> {
  if (operands.length === 0)
    throw new CommandFailure('No file is given', 'Name report files: rundown upload "reports/*.xml"');
  // An operand that names an existing file is not a glob: the shell may have expanded the globs already, and file names
  // may contain brackets.
  const patterns = operands.map((operand) => (existsSync(operand) ? escapePath(operand) : operand));
  const found = await glob(patterns, { dot: true, expandDirectories: false });
  if (found.length > 0) return found.sort();
  throw new CommandFailure(
    `No file matches ${operands.join(' ')}`,
    'Check the name, and that the tests wrote their report',
  );
}

/** Options have priority over the CI system, and the CI system over Git. */
function queryOf(given: Given, files: number): Query {
  const ofBuild: BuildFacts = Object.fromEntries(Object.entries(ciBuild(process.env)).filter(([, value]) => value));
  const facts = { ...gitFacts(), ...ofBuild };
  const chosen = (name: string, fact?: string) => given.text(name) ?? fact;
  return {
    ciBuildId: chosen('ci-build-id', facts.ciBuildId) ?? (files > 1 ? `local-${randomUUID()}` : undefined),
    branch: chosen('branch', facts.branch),
    sha: chosen('sha', facts.sha),
    message: chosen('message', facts.message),
    author: chosen('author', facts.author),
    authorEmail: chosen('author-email', facts.authorEmail),
    repository: chosen('repository', facts.repository),
    pullRequest: chosen('pull-request', facts.pullRequest),
    githubRunId: facts.githubRunId,
    githubRunAttempt: facts.githubRunAttempt,
    ...readJob(given),
    root: chosen('root', facts.root ?? process.cwd()),
    'tags[]': given.list('tag'),
    machineId: chosen('machine-id'),
    ...Object.fromEntries(
      ['format', 'group', 'environment', 'timezone', 'status'].map((name) => [name, given.text(name)]),
    ),
    dryRun: given.has('dry-run') ? 'true' : undefined,
  };
}

/** The CI job, and which try of its build the reports belong to. */
function readJob(given: Given): Query {
  const { name, attempt, id, build: common } = findCiJob(readCiVariables(process.env)) ?? {};
  const jobAttempt = attempt === undefined ? undefined : String(attempt);
  return { job: name, jobAttempt, jobId: id, jobBuild: common, try: given.text('try') };
}

async function uploadFile(service: Service, file: string, query: Query): Promise<ReceivedImport> {
  const bytes = await readFile(file);
  const isCompressed = bytes[0] === 0x50 || (bytes[0] === 0x1f && bytes[1] === 0x8b);
  const body = new Uint8Array(isCompressed ? bytes : await promisify(gzip)(bytes));
  const named = { ...query, name: basename(file) };
  const started =
    body.length <= REQUEST_BYTES
      ? importIn(await service.json(importsOf(service), { method: 'POST', query: named, body }))
      : await uploadByLink(service, named, body);
  return finished(service, file, started);
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
  const link = await service.json(`${importsOf(service)}/links`, { method: 'POST', query });
  await sendRepeatedly(answerIn(link, 'uploadUrl'), { method: 'PUT', body, isPresigned: true });
  return importIn(await service.json(`/imports/${answerIn(link, 'importId')}`));
}

/** Waits until the uploaded file is recorded, which happens in the background. */
async function finished(service: Service, file: string, started: ReceivedImport): Promise<ReceivedImport> {
  let latest = started;
  const until = Date.now() + WAIT_MILLISECONDS;
  while (latest.state === 'waiting' || latest.state === 'recording') {
    if (Date.now() > until)
      throw new CommandFailure(`${file} is still being recorded`, `Check the import ${latest.importId} later`);
    await setTimeout(POLL_MILLISECONDS);
    latest = importIn(await service.json(`/imports/${latest.importId}`));
  }
  if (latest.state === 'refused')
    throw new RefusedFile(`${file}: ${latest.problem}`, 'Correct the file, and upload it again');
  return latest;
}

/** `rundown complete`: ends a run that earlier uploads kept open. */
export async function complete(given: Given): Promise<CommandImports> {
  const service = serviceOf(given);
  const ciBuildId = given.text('ci-build-id') ?? ciBuild(process.env).ciBuildId;
  if (!ciBuildId)
    throw new CommandFailure('The CI build id is missing', 'Set --ci-build-id to the id used for the uploads');
  const { runUrl, runId } = await change(service, { ciBuildId, ...readJob(given), complete: 'true' });
  return { runUrl, runId, imports: [], refused: [] };
}
