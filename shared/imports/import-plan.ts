/** What an import will record of the reports of a request. */

import type { ReportedInstance } from '#shared/ingest/reported.ts';
import type { ImportedFile, QuarantinedFailures } from '#shared/model/runs/import.ts';
import type { StoredProblem } from '#shared/model/runs/run-problem.ts';
import type { ParsedFile, RenamedTest, ReportedFile } from '#shared/reports/report.ts';

export interface PlannedInstance extends ReportedInstance {
  readonly machineId: string;
}

/** An attachment of a test. `repetition` says which result of the test in the request it belongs to. */
export type PlannedFile = ReportedFile & { readonly repetition: number };

export interface ImportPlan {
  readonly ciBuildId: string;
  readonly parsed: readonly ParsedFile[];
  /** The spec files to record, grouped by machine. */
  readonly instances: readonly PlannedInstance[];
  readonly tests: number;
  /** How long the tests took, in milliseconds. 0 if no report says it. */
  readonly milliseconds: number;
  readonly attachments: readonly PlannedFile[];
  readonly files: readonly ImportedFile[];
  /** Tests whose former names no test of the reports has. */
  readonly renamed: readonly RenamedTest[];
  /** What is wrong with the reports, other than their tests. */
  readonly problems: readonly StoredProblem[];
  /** Which failures are quarantined, and the digest of the rules. Empty if the request does not ask for it. */
  readonly quarantine: { readonly quarantine?: QuarantinedFailures; readonly rules?: string };
  /** Whether one of the problems keeps the run from passing, or the request says that the job failed. */
  readonly jobFailed: boolean;
}
