/** The parsed results of a report file, as domain types. */
import type { ReportedInstance } from '#shared/ingest/reported.ts';
import type { Commit } from '#shared/model/runs/commit.ts';
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import type { ReadingLimits } from './reading-budget.ts';

/** Facts that the request supplies, because the file does not contain them. */
export interface ReportHints {
  readonly name?: string | undefined;
  /** The format of the file, if it is known. Otherwise it is detected. */
  readonly format?: ReportFormat | undefined;
  /** The root folder of the repository on the machine that ran the tests. Paths below it become relative. */
  readonly root?: string | undefined;
  /** The time zone for times that are given without one: an IANA name or an offset such as `+02:00`. */
  readonly timezone?: string | undefined;
  /** The group of tests whose report names no group. */
  readonly group?: string | undefined;
  /** Time at which the report arrived, in epoch milliseconds. */
  readonly now: number;
  /** The limits on bytes and work. Default: the limits of a background worker. */
  readonly most?: ReadingLimits | undefined;
}

/** A file that the report contains: a trace, screenshot or other attachment of a test. */
export interface ReportedFile {
  readonly groupId: string;
  readonly spec: string;
  readonly testId: string;
  readonly attempt: number;
  readonly name: string;
  readonly contentType: string;
  /** Decompressed size in bytes. */
  readonly size: number;
  read(): AsyncIterable<Uint8Array>;
}

export interface ReportWarning {
  readonly line: number | null;
  readonly message: string;
}

/** A test that has another name than in an earlier release. */
export interface RenamedTest {
  readonly from: NameOfTest;
  readonly to: NameOfTest;
}

interface NameOfTest {
  readonly spec: string;
  readonly title: readonly string[];
}

interface LostFile {
  readonly name: string;
  readonly message: string;
}

export interface ParsedFile {
  readonly name: string;
  readonly format: ReportFormat;
  /** The tool that wrote a JUnit or CTRF file. `null` for other formats, or if a CTRF file does not name its tool. */
  readonly dialect: string | null;
  readonly framework: { readonly type: string; readonly version: string | null };
  readonly instances: readonly ReportedInstance[];
  readonly files: readonly ReportedFile[];
  /** Start of the tests in epoch milliseconds. */
  readonly startedAt: number | null;
  /** How long the tests took, in milliseconds, as the file itself says. */
  readonly milliseconds: number | null;
  /** Whether the file is truncated, or was cut at a limit. */
  readonly truncated: boolean;
  /** Errors that belong to no test. */
  readonly runErrors: readonly string[];
  /** What people should know before they trust the result of the run. Other warnings are shown at the import only. */
  readonly runWarnings: readonly string[];
  /** Report files of the same archive that could not be read, so that their tests are missing. */
  readonly lost: readonly LostFile[];
  readonly machine: string | null;
  /** The framework for which a .NET project was built, such as `net8.0`. */
  readonly targetFramework?: string | undefined;
  readonly shard: { readonly current: number; readonly total: number } | null;
  readonly commit: Partial<Commit>;
  readonly ciBuildId: string | null;
  readonly warnings: readonly ReportWarning[];
  readonly renamed: readonly RenamedTest[];
  /** The number of tests with the same group, spec file and title as an earlier test of the file. */
  readonly duplicates: number;
}
