/** §4.4.11 The fields of the rule form, as query parameters and in the request body. */
import * as z from 'zod';
import { RULE_OPERATIONS } from '#shared/model/rules/rule-annotations.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';

/**
 * The numbers of the condition rows. Each field name contains the number of its row. Empty query parameters are
 * dropped, so the position of a field does not tell which row it belongs to.
 */
export const ROWS = Array.from({ length: RULE_LIMITS.conditions }, (_, index) => index + 1);
const rowNames = ROWS.flatMap((row) => [`type_${row}`, `operator_${row}`, `value_${row}`]);
const text = z.string().max(RULE_LIMITS.matcherBytes).optional();

/** The fields as query parameters, so that links can prefill the form and the preview works without JavaScript. */
export const ruleQuery = z.object({
  ...Object.fromEntries(
    ['name', 'description', 'tags', 'op', 'expires', 'formId', ...rowNames].map((name) => [name, text]),
  ),
  action: z.array(z.string()).max(RULE_OPERATIONS.length).optional(),
  show: z.enum(['preview', 'more']).optional(),
});

/** Accepts any fields: the API's schema validates the resulting rule. */
export const ruleFields = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
