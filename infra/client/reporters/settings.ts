/** The settings of a reporter: options in the configuration of the test framework, and environment variables. */
import { randomUUID } from 'node:crypto';
import { withoutEnd } from '#shared/engine/plain-text.ts';
import { ciBuild } from '../settings/ci-build.ts';
import { parseDsn } from '../settings/dsn.ts';
import { gitFacts } from '../settings/git.ts';

/**
 * The options of the reporters. Each can also be set with the environment variable in its description, which is the
 * only way for node:test.
 */
export interface ReporterOptions {
  /** `https://<key>@<host>/<projectId>` (RUNDOWN_DSN). */
  readonly dsn?: string | undefined;
  /** The address of the service (RUNDOWN_URL), instead of `dsn`. */
  readonly url?: string | undefined;
  /** The id of the project (RUNDOWN_PROJECT), instead of `dsn`. */
  readonly project?: string | undefined;
  /** An API key with Read & Write (RUNDOWN_API_KEY), instead of `dsn`. Never commit it. */
  readonly key?: string | undefined;
  /** Machines with the same build id record one run (RUNDOWN_CI_BUILD_ID). Default: from the CI system. */
  readonly ciBuildId?: string | undefined;
  /** Tags of the run (RUNDOWN_TAGS, separated by commas). */
  readonly tags?: readonly string[] | undefined;
  /** The environment that is tested, such as staging (RUNDOWN_ENVIRONMENT). */
  readonly environment?: string | undefined;
  /** The number of machines that record this build (RUNDOWN_MACHINES). Default: the number of shards, or 1. */
  readonly machines?: number | undefined;
  /** Keep the run open until `rundown complete` (RUNDOWN_KEEP_OPEN). */
  readonly keepOpen?: boolean | undefined;
  /** Cancel the run after this many failed tests (RUNDOWN_CANCEL_AFTER_FAILURES). */
  readonly cancelAfterFailures?: number | undefined;
  /** The folder for results that could not be sent (RUNDOWN_SPOOL). Default: node_modules/.cache/rundown. */
  readonly spool?: string | undefined;
  /**
   * How many seconds the end of the tests may wait for the service (RUNDOWN_WAIT_AT_END). Default: 60, or 10 if the
   * service never answered.
   */
  readonly waitAtEnd?: number | undefined;
  /** Fail the test command if results could not be recorded (RUNDOWN_STRICT). */
  readonly strict?: boolean | undefined;
  /** Also record the runs of watch mode (RUNDOWN_WATCH). */
  readonly watch?: boolean | undefined;
}

export interface Settings {
  readonly url: string;
  readonly project: string;
  readonly key: string;
  readonly ciBuildId: string;
  readonly machineId: string;
  readonly tags: readonly string[];
  readonly environment: string | undefined;
  readonly machines: number | undefined;
  readonly keepOpen: boolean;
  readonly cancelAfterFailures: number | undefined;
  readonly spool: string;
  /** Seconds. */
  readonly waitAtEnd: number | undefined;
  readonly strict: boolean;
  readonly watch: boolean;
  readonly commit: Readonly<Record<string, string | undefined>>;
  readonly pullRequest: string | undefined;
  readonly github: { readonly runId: string; readonly attempt?: string | undefined } | undefined;
  /**
   * The root folder of the repository, or the working folder outside a repository. The reporters for Jest and node:test
   * name spec files relative to it.
   */
  readonly root: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

const SPOOL = 'node_modules/.cache/rundown';

/**
 * Reads the settings. Returns `undefined` if the address, the project or the key is missing: the reporter then does
 * nothing. Throws a `CommandFailure` if the DSN is malformed.
 */
export function settingsOf(options: ReporterOptions = {}, env: Variables = process.env): Settings | undefined {
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
  const given = {
    url: text('url', 'RUNDOWN_URL'),
    project: text('project', 'RUNDOWN_PROJECT'),
    key: text('key', 'RUNDOWN_API_KEY'),
  };
  const inDsn = dsn === undefined ? undefined : parseDsn(dsn);
  const { url, project, key } = {
    url: given.url ?? inDsn?.url,
    project: given.project ?? inDsn?.project,
    key: given.key ?? inDsn?.key,
  };
  if (url === undefined || project === undefined || key === undefined) return undefined;
  const build = ciBuild(env);
  const git = gitFacts(process.cwd());
  const { branch = git.branch, sha = git.sha } = build;
  return {
    url: withoutEnd(url, '/').replace(/\/v1$/, ''),
    project,
    key,
    ciBuildId: text('ciBuildId', 'RUNDOWN_CI_BUILD_ID') ?? build.ciBuildId ?? `local-${randomUUID()}`,
    // A restarted process is another machine: the service ignores batches whose numbers it has from this machine.
    machineId: randomUUID(),
    tags: options.tags ?? env['RUNDOWN_TAGS']?.split(',').filter(Boolean) ?? [],
    environment: text('environment', 'RUNDOWN_ENVIRONMENT'),
    machines: number('machines', 'RUNDOWN_MACHINES'),
    keepOpen: flag('keepOpen', 'RUNDOWN_KEEP_OPEN'),
    cancelAfterFailures: number('cancelAfterFailures', 'RUNDOWN_CANCEL_AFTER_FAILURES'),
    spool: text('spool', 'RUNDOWN_SPOOL') ?? SPOOL,
    waitAtEnd: number('waitAtEnd', 'RUNDOWN_WAIT_AT_END'),
    strict: flag('strict', 'RUNDOWN_STRICT'),
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
    root: git.root ?? process.cwd(),
  };
}
