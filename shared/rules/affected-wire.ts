/** §4.4.12 The wire shapes of tests that rules matched: the queries and the rows of their lists. */
import * as z from 'zod';
import { direction, offsetPageOf, pageQuery } from '#shared/analytics/metrics/page-wire.ts';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { instant } from '#shared/engine/http/instant.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { id, projectId } from '#shared/model/names.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import { RULE_OPERATIONS } from '#shared/model/rules/rule-annotations.ts';
import { RULE_LIMITS } from './limits.ts';
import { RULE_STATUSES } from './status.ts';

const Operation = z.enum(RULE_OPERATIONS);
const search = (where: string) =>
  z
    .string()
    .max(RULE_LIMITS.searchCharacters)
    .optional()
    .meta({ description: `Only ${where}, ignoring case` });

const range = {
  date_start: instant.meta({ description: 'Start of the range' }),
  date_end: instant.meta({ description: 'End of the range, not before `date_start`' }),
};

export const affectedTestsQuery = {
  projectId,
  ...range,
  ...pageQuery(RULE_LIMITS.affectedPage),
  search: search('tests with this text in their spec file or title'),
  action_type: z.array(Operation).default([]).meta({ description: 'Only tests that rules of these types matched' }),
  action_id: id.optional().meta({ description: 'Only tests that this rule matched' }),
  status: z
    .array(z.enum(RULE_STATUSES))
    .default([])
    .meta({ description: 'Only tests that rules with any of these statuses matched' }),
  dir: direction.meta({ description: 'Order by the last execution' }),
};
export type AffectedTestsQuery = z.output<z.ZodObject<typeof affectedTestsQuery>>;

const AffectedTest = z
  .object({
    signature: z.string(),
    spec: z.string(),
    title: z.array(z.string()),
    actions: z.array(
      z.object({
        actionId: z.string(),
        name: z
          .string()
          .nullable()
          .meta({ description: 'null if the rule is not stored, because it was archived long ago or never existed' }),
        type: Operation,
      }),
    ),
    executions: z.int().meta({ description: 'Executions that a rule matched' }),
    passes: z.int(),
    failures: z.int(),
    ignored: z.int().meta({ description: 'Pending executions' }),
    lastSeen: dateTime.nullable().meta({ description: 'Creation of the latest run' }),
  })
  .meta({ id: 'AffectedTest' });
export type AffectedTestRow = z.infer<typeof AffectedTest>;

export const AffectedTestsPage = z.object(offsetPageOf(AffectedTest));

export const executionsQuery = {
  ...range,
  ...cursorQuery(RULE_LIMITS.executionsPage),
  search: search('executions with this text in their title or branch'),
};
export const executionsOfTestQuery = { projectId, ...executionsQuery };
export type ExecutionsQuery = z.output<z.ZodObject<typeof executionsQuery>>;

export const AffectedExecution = z
  .object({
    signature: z.string(),
    spec: z.string(),
    title: z.array(z.string()),
    runId: z.string(),
    instanceId: z.string(),
    testId: z.string(),
    groupId: z.string(),
    branch: z.string().nullable(),
    createdAt: dateTime,
    status: RecordedTestOutcome,
    flaky: z.boolean(),
    actions: z.array(z.object({ actionId: z.string(), type: Operation })),
  })
  .meta({ id: 'AffectedExecution' });
