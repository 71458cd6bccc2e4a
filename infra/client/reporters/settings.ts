/** The settings of a reporter: options in the configuration of the test framework, and environment variables. */
import { randomUUID } from 'node:crypto';
import { type CiJob, findCiJob, readCiVariables } from '#shared/model/runs/ci-job.ts';
import type { ReporterOptions } from '../package/reporter.d.ts';
import { readCiBuild } from '../settings/ci-build.ts';
import { normalizeServiceAddress, parseDsn } from '../settings/dsn.ts';
import { readGitFacts } from '../settings/git.ts';

type Optional = 'key' | 'group' | 'environment' | 'machines' | 'cancelAfterFailures' | 'waitAtEnd' | 'shards';

/** The options with their defaults, and what the reporter finds out about the build. */
export interface Settings
  extends Readonly<Required<Omit<ReporterOptions, 'dsn' | Optional>>>,
    Readonly<Pick<ReporterOptions, Optional>> {
  /** Of a CI job that records without a key. */
  readonly organization?: string | undefined;
  readonly machineId: string;
  readonly commit: Readonly<Record<string, string | undefined>>;
  readonly pullRequest: string | undefined;
  readonly github: { readonly runId: string; readonly attempt?: string | undefined } | undefined;
  /** The CI job, and which try of the job this is. */
  readonly job: CiJob | undefined;
  /** The number of the try, if the job repeats its tests itself. */
  readonly try: number | undefined;
  /** The root of the repository or the working folder. Jest and node:test reporters name spec files relative to it. */
  readonly root: string;
}

/** `undefined` without address, project or key: nothing is recorded. Throws `CommandFailure` for a malformed DSN. */
export function readReporterSettings(options: ReporterOptions = {}): Settings | undefined {
  const { env } = process;
  const text = (name: keyof ReporterOptions, variable: string) => {
    const option = options[name];
    return typeof option === 'string' && option !== '' ? option : env[variable] || undefined;
  };
  const flag = (name: keyof ReporterOptions, variable: string) =>
    options[name] === true || ['1', 'true'].includes(env[variable] ?? '');
  const number = (name: keyof ReporterOptions, variable: string) => {
    const value = Number(options[name] ?? env[variable] ?? Number.NaN);
    return Number.isInteger(value) && value > 0 ? value : undefined;
  };
  const dsn = text('dsn', 'RUNDOWN_DSN');
  const inDsn = dsn === undefined ? undefined : parseDsn(dsn);
  const url = text('url', 'RUNDOWN_URL') ?? inDsn?.url;
  const project = text('project', 'RUNDOWN_PROJECT') ?? inDsn?.project;
  const key = text('key', 'RUNDOWN_API_KEY') ?? inDsn?.key;
  const organization = env['RUNDOWN_ORGANIZATION'] || inDsn?.organization;
  if (url === undefined || project === undefined || (key === undefined && organization === undefined)) return undefined;
  const build = readCiBuild(env);
  const git = readGitFacts();
  const { branch = git.branch, sha = git.sha } = build;
  return {
    url: normalizeServiceAddress(url),
    project,
    key,
    organization,
    ciBuildId: text('ciBuildId', 'RUNDOWN_CI_BUILD_ID') ?? build.ciBuildId ?? `local-${randomUUID()}`,
    // A restarted process is another machine: the service ignores batches whose numbers it has from this machine.
    machineId: randomUUID(),
    group: text('group', 'RUNDOWN_GROUP'),
    tags: options.tags ?? env['RUNDOWN_TAGS']?.split(',').filter(Boolean) ?? [],
    environment: text('environment', 'RUNDOWN_ENVIRONMENT'),
    machines: number('machines', 'RUNDOWN_MACHINES'),
    keepOpen: flag('keepOpen', 'RUNDOWN_KEEP_OPEN'),
    cancelAfterFailures: number('cancelAfterFailures', 'RUNDOWN_CANCEL_AFTER_FAILURES'),
    spool: text('spool', 'RUNDOWN_SPOOL') ?? 'node_modules/.cache/rundown',
    waitAtEnd: number('waitAtEnd', 'RUNDOWN_WAIT_AT_END'),
    strict: flag('strict', 'RUNDOWN_STRICT'),
    lastFailed: flag('lastFailed', 'RUNDOWN_LAST_FAILED'),
    shards: text('shards', 'RUNDOWN_SHARDS') === 'balanced' ? 'balanced' : undefined,
    watch: flag('watch', 'RUNDOWN_WATCH'),
    commit: {
      branch: env['RUNDOWN_BRANCH'] ?? branch,
      sha: env['RUNDOWN_SHA'] ?? sha,
      message: git.message,
      authorName: git.author,
      authorEmail: git.authorEmail,
      remoteOrigin: git.repository,
    },
    pullRequest: env['RUNDOWN_PULL_REQUEST'] ?? build.pullRequest,
    github: build.githubRunId === undefined ? undefined : { runId: build.githubRunId, attempt: build.githubRunAttempt },
    job: findCiJob(readCiVariables(env)),
    try: readTry(env),
    root: git.root ?? process.cwd(),
  };
}

/** Returns `undefined` unless `RUNDOWN_TRY` is a number from 1 on. */
function readTry({ RUNDOWN_TRY: text }: NodeJS.ProcessEnv): number | undefined {
  const number = Number(text || Number.NaN);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
