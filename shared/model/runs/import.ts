/** An import of report files into a run: what was read, what was not understood, and how much has been recorded. */
import type { Correlation } from '#shared/engine/correlation.ts';
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Counters } from '#shared/model/results/outcomes.ts';
import type { Origin } from './origin.ts';
import type { ReportFormat } from './report-format.ts';
import type { TryOfBuild } from './run.ts';

/** `waiting`: the file has not arrived, or is in the queue. `refused`: nothing more will be recorded. */
type ImportState = 'waiting' | 'recording' | 'recorded' | 'refused';

/** The options that the request for an import contains. Reports may contain some of these values, too. */
export interface ImportOptions {
  readonly name?: string | undefined;
  readonly format?: string | undefined;
  readonly ciBuildId?: string | undefined;
  readonly branch?: string | undefined;
  readonly sha?: string | undefined;
  readonly message?: string | undefined;
  readonly author?: string | undefined;
  readonly authorEmail?: string | undefined;
  readonly repository?: string | undefined;
  readonly pullRequest?: string | undefined;
  readonly pullRequestTitle?: string | undefined;
  readonly githubRunId?: string | undefined;
  readonly githubRunAttempt?: string | undefined;
  readonly job?: string | undefined;
  readonly jobAttempt?: number | undefined;
  readonly jobId?: string | undefined;
  readonly jobBuild?: string | undefined;
  readonly jobUrl?: string | undefined;
  readonly try?: number | undefined;
  readonly leg?: string | undefined;
  readonly group?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly environment?: string | undefined;
  readonly root?: string | undefined;
  readonly timezone?: string | undefined;
  readonly machineId?: string | undefined;
  readonly unreadable?: readonly string[] | undefined;
  readonly status?: 'passed' | 'failed' | undefined;
  readonly complete?: boolean | undefined;
  /** Whether failures of quarantined tests do not fail the run. */
  readonly quarantine?: boolean | undefined;
  /** §5.1 Of a CI job that records without a key. No request contains it. */
  readonly origin?: Origin | undefined;
}

/** The options of a request, and which try of its build it belongs to. `ciBuildId` is then the build id of the try. */
export interface ImportOptionsOfTry extends ImportOptions {
  readonly tryOf?: TryOfBuild | undefined;
  readonly firstTry?: string | undefined;
}

export type ImportCounts = Omit<Counters, 'retries'>;

/** A report file, with the number of its tests and the problems in it. */
export interface ImportedFile {
  readonly name: string;
  readonly format: ReportFormat;
  readonly dialect: string | null;
  readonly specs: number;
  readonly tests: ImportCounts;
  readonly attachments: number;
  readonly truncated: boolean;
  /** The number of tests that have the same name as an earlier test in the file. */
  readonly duplicates: number;
  /** Errors outside tests. */
  readonly runErrors: readonly string[];
  readonly warnings: readonly { readonly line: number | null; readonly message: string }[];
}

/** Which failures of a report the rules of the project quarantine. */
export interface QuarantinedFailures {
  /** The tests that failed or did not run. */
  readonly failures: number;
  readonly quarantined: number;
  /** The names of the first tests that failed or did not run, and are not quarantined. */
  readonly others: readonly string[];
  /** What is wrong with the report other than its tests, so that it may not have all failures. */
  readonly problems: readonly string[];
}

/** `correlationId`: of the request that created the import. */
export interface Import extends Correlation {
  readonly organizationId: string;
  readonly projectId: string;
  readonly importId: string;
  readonly state: ImportState;
  readonly options: ImportOptionsOfTry;
  /** Time of the request, in epoch milliseconds. */
  readonly createdAt: number;
  /** Time of the latest change, in epoch milliseconds. */
  readonly changedAt: number;
  /** Digest of the recorded content. It shows whether another file was uploaded later through the same link. */
  readonly content?: string;
  readonly runId?: string;
  readonly ciBuildId?: string;
  readonly files: readonly ImportedFile[];
  readonly quarantine?: QuarantinedFailures;
  /** Digest of the rules by which the report was read. With other rules, the recorded part is recorded again. */
  readonly rules?: string;
  /** The specs and tests in the report (`ofSpecs`, `ofTests`), and how many of them are recorded. */
  readonly progress: {
    readonly specs: number;
    readonly tests: number;
    readonly ofSpecs: number;
    readonly ofTests: number;
  };
  readonly problem?: string;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export type ImportKey = Pick<Import, 'organizationId' | 'importId'>;

export const imports: Entity<ImportKey, Import> = {
  type: 'import',
  guarded: false,
  // Imports are not removed with a run: an import expires earlier than most runs, and an import whose file has not been
  // uploaded has no run yet.
  removal: 'apart',
  patterns: [{ question: 'An import by id' }],
  key: ({ organizationId, importId }) => ({ pk: composeKey('IMPORT', organizationId, importId), sk: 'IMPORT' }),
  store: toAttributes,
  load: loadAttributes,
};

/** The folder of report files that the queue has not processed yet. */
export const IMPORTS = 'imports';

export const getImportKey = ({ organizationId, importId }: ImportKey): string =>
  `${IMPORTS}/${organizationId}/${importId}`;

/** Returns `undefined` for any other key. */
export function parseImportKey(key: string): ImportKey | undefined {
  const [folder, organizationId, importId, ...more] = key.split('/');
  return folder === IMPORTS && organizationId && importId && more.length === 0
    ? { organizationId, importId }
    : undefined;
}
