/** The verdict of the gate of a run, as responses show it. */
import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import { BaseRun } from '#shared/results/comparisons/comparison-wire.ts';

const GATE_RULES = ['noNewFailures', 'noMissingTests'] as const;
export const GateRule = z.enum(GATE_RULES).meta({
  description: [
    '`noNewFailures`: no test failed that had not failed in the base. Without a base, no test failed.',
    '`noMissingTests`: each spec file has as many tests with a result as in the base.',
  ].join(' '),
});
export type GateRule = z.infer<typeof GateRule>;

export const gateQuery = {
  rules: z
    .array(GateRule)
    .max(GATE_RULES.length)
    .optional()
    .meta({ description: 'Default: the rules in the settings of the project, or all rules if it has none' }),
  base_run_id: id.optional().meta({
    description:
      'The run to compare with: any complete run of the project. Default: the last complete run of the default branch before this run, with the same groups',
  }),
};
export type GateQuery = z.output<z.ZodObject<typeof gateQuery>>;

export const GateVerdict = z
  .object({
    runId: z.string(),
    runUrl: z.string(),
    state: z.enum(['waiting', 'passed', 'failed']).meta({ description: '`waiting` until the run has ended' }),
    rules: z.array(GateRule),
    base: BaseRun.nullable(),
    baseUrl: z.string().nullable(),
    reasons: z
      .array(
        z.object({
          rule: GateRule.nullable().meta({ description: 'null if the run itself cannot be judged' }),
          message: z.string().meta({ description: 'A short text for people, which may contain names of tests' }),
          details: z.array(z.string()).meta({ description: 'The first tests or spec files' }),
        }),
      )
      .meta({ description: 'Why the gate failed, or what it waits for' }),
  })
  .meta({ id: 'GateVerdict' });
export type GateVerdict = z.infer<typeof GateVerdict>;
