/**
 * The options of the reporters. Each can also be set with the environment variable in its description, which is the
 * only way for node:test.
 */
export interface ReporterOptions {
  /** `https://<key>@<host>/<projectId>` (RUNDOWN_DSN). Do not commit it: the key belongs in a secret. */
  dsn?: string;
  /** The address of the service (RUNDOWN_URL), instead of `dsn`. */
  url?: string;
  /** The id of the project (RUNDOWN_PROJECT), instead of `dsn`. */
  project?: string;
  /** An API key with Read & Write (RUNDOWN_API_KEY), instead of `dsn`. */
  key?: string;
  /** Machines with the same build id record one run (RUNDOWN_CI_BUILD_ID). Default: from the CI system. */
  ciBuildId?: string;
  /**
   * The group of the tests (RUNDOWN_GROUP), such as a system or a package, so that the jobs of a matrix can be told apart.
   * It comes before the names of projects: `linux › chromium`. Shards of one suite have the same group.
   */
  group?: string;
  /** Tags of the run (RUNDOWN_TAGS, separated by commas). */
  tags?: string[];
  /** The environment that is tested, such as staging (RUNDOWN_ENVIRONMENT). */
  environment?: string;
  /** The number of machines that record this build (RUNDOWN_MACHINES). Default: the number of shards, or 1. */
  machines?: number;
  /** Keep the run open until `rundown complete` (RUNDOWN_KEEP_OPEN). */
  keepOpen?: boolean;
  /** Cancel the run after this many failed tests (RUNDOWN_CANCEL_AFTER_FAILURES). */
  cancelAfterFailures?: number;
  /** The folder for results that could not be sent (RUNDOWN_SPOOL). Default: node_modules/.cache/rundown. */
  spool?: string;
  /** Fail the test command if results could not be recorded (RUNDOWN_STRICT). */
  strict?: boolean;
  /**
   * Playwright 1.62 and later: in a later try of a build, run only what failed in the try before (RUNDOWN_LAST_FAILED).
   * Everything runs in the first try, and if it is not certain what to repeat.
   */
  lastFailed?: boolean;
  /**
   * Playwright 1.62 and later with `--shard`: divide the tests so that all shards take about the same time
   * (RUNDOWN_SHARDS=balanced). Set it for all shards of a build.
   */
  shards?: 'balanced';
  /**
   * The maximum number of seconds to wait for the service after the last test (RUNDOWN_WAIT_AT_END). Default: 60, or 10
   * if the service never answered.
   */
  waitAtEnd?: number;
  /** Also record the runs of watch mode (RUNDOWN_WATCH). */
  watch?: boolean;
}

declare class RundownReporter {
  constructor(options?: ReporterOptions);
}
export default RundownReporter;
