/** The columns of an export. Each row is one execution of a test in a run that has ended. */

import { cutText } from '#shared/engine/cut-text.ts';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { isValidTime } from '#shared/engine/time.ts';
import { classifyError } from '#shared/errors/classify.ts';
import { maskText } from '#shared/masking/masking.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import {
  computeTimeSpan,
  countRetries,
  findDisplayedError,
  hasRun,
  isMeasured,
  sumDurations,
} from '#shared/model/results/attempt.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import { parseRuleMarks } from '#shared/model/rules/rule-marks.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { EXPORT_LIMITS } from './limits.ts';

export interface TestExecution {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly instance: Instance;
  readonly test: RecordedTest;
}

interface ExportedError {
  readonly message: string;
  readonly category: string | null;
  readonly action: string | null;
  readonly target: string | null;
  readonly signature: string;
}

/** An execution, with the values that several columns share. */
export interface ExportedRow extends TestExecution {
  readonly error: ExportedError | undefined;
  readonly span: ReturnType<typeof computeTimeSpan>;
}

export const toExportedRow = (execution: TestExecution): ExportedRow => ({
  ...execution,
  error: toExportedError(execution.test),
  span: computeTimeSpan(execution.test.attempts),
});

/** Masks before classifying, as analytics do, so that both give an error the same signature. Drops terminal colors. */
function toExportedError(test: RecordedTest): ExportedError | undefined {
  const error = shouldStoreEvidence(test) ? findDisplayedError(test.attempts) : undefined;
  if (!error) return undefined;
  const message = maskText(error.message);
  const { category, action, target, fingerprint } = classifyError({ ...error, message });
  const exportedMessage = cutText(removeControlSequences(message), EXPORT_LIMITS.messageCharacters);
  return { message: exportedMessage, category, action, target, signature: fingerprint };
}

interface ColumnDefinition<Kind extends string, Value> {
  readonly name: string;
  readonly kind: Kind;
  /** Whether every row has a value. */
  readonly required: boolean;
  /** Picks the value of a row. */
  readonly of: (row: ExportedRow) => Value;
}

export type Column =
  | ColumnDefinition<'text', string | null>
  | ColumnDefinition<'integer', number | null>
  /** Epoch milliseconds. */
  | ColumnDefinition<'time', number | null>
  | ColumnDefinition<'flag', boolean>
  | ColumnDefinition<'texts', readonly string[]>;

const id = (name: string, of: (row: ExportedRow) => string): Column => ({ name, kind: 'text', required: true, of });
const text = (name: string, of: (row: ExportedRow) => string | null | undefined): Column => ({
  name,
  kind: 'text',
  required: false,
  of: (row) => of(row) ?? null,
});
const count = (name: string, of: (row: ExportedRow) => number): Column => ({
  name,
  kind: 'integer',
  required: true,
  of,
});
const time = (name: string, of: (row: ExportedRow) => number | null | undefined): Column => ({
  name,
  kind: 'time',
  required: false,
  of: (row) => toValidTime(of(row)),
});
const flag = (name: string, of: (row: ExportedRow) => boolean): Column => ({ name, kind: 'flag', required: true, of });
const texts = (name: string, of: (row: ExportedRow) => readonly string[]): Column => ({
  name,
  kind: 'texts',
  required: true,
  of,
});

const toValidTime = (milliseconds: number | null | undefined): number | null =>
  milliseconds != null && isValidTime(milliseconds) ? new Date(milliseconds).getTime() : null;

const TITLE_SEPARATOR = ' > ';

export const COLUMNS: readonly Column[] = [
  id('organization_id', ({ run }) => run.organizationId),
  id('project_id', ({ run }) => run.projectId),
  id('run_id', ({ run }) => run.runId),
  id('build_id', ({ run }) => run.ciBuildId),
  time('run_created_at', ({ run }) => run.createdAt),
  time('run_ended_at', ({ run }) => run.endedAt),
  id('run_status', ({ run }) => run.status),
  id('run_completion', ({ run }) => run.completionState),
  text('branch', ({ run }) => run.commit.branch),
  text('commit_sha', ({ run }) => run.commit.sha),
  text('author_name', ({ run }) => run.commit.authorName),
  text('author_email', ({ run }) => run.commit.authorEmail),
  text('pull_request', ({ run }) => run.pullRequest?.id),
  id('framework', ({ run }) => run.framework.type),
  id('group_id', ({ instance }) => instance.groupId),
  text('environment', ({ group }) => group?.environment),
  text('os_name', ({ group }) => group?.platform.osName),
  text('browser_name', ({ group }) => group?.platform.browserName),
  text('machine_id', ({ instance }) => instance.claims.at(-1)?.machineId),
  id('instance_id', ({ instance }) => instance.instanceId),
  id('spec_file', ({ instance }) => instance.spec),
  id('test_id', ({ test }) => test.testId),
  id('signature', ({ run, instance, test }) => deriveSignature({ ...run, spec: instance.spec, title: test.title })),
  id('title', ({ test }) => test.title.join(TITLE_SEPARATOR)),
  texts('title_path', ({ test }) => test.title),
  texts('tags', ({ run, group, test }) => mergeTags(run.tags, group?.tags ?? [], test.tags)),
  id('outcome', ({ test }) => test.outcome),
  id('expected_status', ({ test }) => test.expectedStatus),
  flag('flaky', ({ test }) => test.flaky),
  flag('quarantined', ({ test }) => parseRuleMarks(test.annotations).some(({ type }) => type === 'quarantine')),
  count('attempts', ({ test }) => test.attempts.filter(hasRun).length),
  count('retries', ({ test }) => countRetries(test.attempts)),
  { name: 'duration_ms', kind: 'integer', required: false, of: ({ test }) => computeDuration(test) },
  time('started_at', ({ span }) => span.start),
  time('ended_at', ({ span }) => span.end),
  text('error_message', ({ error }) => error?.message),
  text('error_category', ({ error }) => error?.category),
  text('error_action', ({ error }) => error?.action),
  text('error_target', ({ error }) => error?.target),
  text('error_signature', ({ error }) => error?.signature),
];

/** `null` if the duration is unknown, so that averages ignore the execution, as in analytics. */
function computeDuration({ attempts }: RecordedTest): number | null {
  const isKnown = attempts.at(-1)?.rawStatus !== 'interrupted' && isMeasured(attempts);
  return isKnown ? Math.round(sumDurations(attempts)) : null;
}
