/** §4.4 The fields of the form of a rule, in its address and as it is sent. */
import * as z from 'zod';
import { RULE_OPERATIONS } from '#shared/model/tests/rule-marks.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';

/** Rows of the form are numbered, because addresses leave out empty fields. */
export const ROWS = Array.from({ length: RULE_LIMITS.conditions }, (_, index) => index + 1);
const rowNames = ROWS.flatMap((row) => [`type_${row}`, `operator_${row}`, `value_${row}`]);
const text = z.string().max(RULE_LIMITS.matcherBytes).optional();

/** The fields in the address of the form. So a link can fill it in, and the preview needs no script. */
export const ruleQuery = z.object({
  ...Object.fromEntries(
    ['name', 'description', 'tags', 'op', 'expires', 'formId', ...rowNames].map((name) => [name, text]),
  ),
  action: z.array(z.string()).max(RULE_OPERATIONS.length).optional(),
  show: z.enum(['preview', 'more']).optional(),
});

/** Any fields: the rules of the API check what they mean. */
export const ruleFields = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
